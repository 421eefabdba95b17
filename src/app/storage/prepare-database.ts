import { excessivePrivileges, type Foundation, missingPrivileges } from '../../platform/database/index.js';
import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import { backOffMs, retry } from '../../platform/jobs/index.js';
import { isUnavailable } from '../../platform/kernel/errors.js';
import type { Keyring } from '../../platform/keys/index.js';
import { tableNames } from './entities.js';

const RETRY = { firstMs: 500, maxMs: 10_000 };

/** Migrates the database and opens its data keys. Waits until the database and the master key are available. */
export async function prepareDatabase(
  { database, log }: Foundation,
  keyring: Keyring,
  signal: AbortSignal,
): Promise<void> {
  const prepare = async () => {
    if (signal.aborted) return;
    // A serving role must not migrate. It does not have to if no migration is pending.
    const pending = await database.pendingMigrations();
    const applied = pending.length > 0 ? await database.migrate() : [];
    if (applied.length > 0) log.info({ migrations: applied }, 'The database was migrated.');
    const missing = database.engine === 'postgresql' ? await missingPrivileges(database, tableNames) : [];
    // Otherwise it would start, and only the requests that need the privilege would fail.
    if (missing.length > 0)
      throw new ConfigurationError(
        `The role of DATABASE_URL cannot ${missing.join(', or ')}, which serving needs. Run “lucarne migrate --serve-as ROLE” as the owner ` +
          'of the tables.',
      );
    await keyring.open();
  };
  const pauseMs = (thrown: unknown, failures: number) => {
    if (!isUnavailable(thrown)) throw thrown;
    log.warn({ err: thrown, failures }, 'Waiting for the database and its keys.');
    return backOffMs(RETRY, failures);
  };
  await retry(prepare, pauseMs, signal);
}

/**
 * Refuses to serve with a role that has more privileges than serving needs. With the owner's role, a stolen process can change
 * everything, and a statement without the organization reads all organizations. `isAllowed`: the operator accepts this risk.
 */
export async function requireServingRole({ database, log }: Foundation, isAllowed: boolean): Promise<void> {
  if (database.engine !== 'postgresql') return;
  const privileges = await excessivePrivileges(database);
  if (privileges.length === 0) return;
  if (isAllowed) {
    log.warn(
      { privileges },
      'The database role has more privileges than serving needs, as LUCARNE_SERVE_AS_OWNER allows.',
    );
    return;
  }
  throw new ConfigurationError(
    `The role of DATABASE_URL has more privileges than serving needs: ${privileges.join(', ')}. Run “lucarne migrate --serve-as ROLE” as ` +
      'the owner of the tables, and serve as that role; or set LUCARNE_SERVE_AS_OWNER=1 to do without row-level security. ' +
      'See docs/operate.md.',
  );
}
