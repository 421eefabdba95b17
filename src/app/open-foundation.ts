import { type Configuration, readConfiguration } from './configuration/index.js';
import { acrossOrganizations, type Database, type Foundation } from '../platform/database/index.js';
import { inProcessSignals } from '../platform/signals/index.js';
import { openDatabase } from './storage/open-database.js';
import { systemClock } from '../platform/kernel/clock.js';
import { silentLog } from '../platform/kernel/log.js';
import { systemRandom } from '../platform/kernel/random.js';
import { WrongMasterKey } from '../platform/keys/index.js';
import { signingKeysOf } from './key-stores.js';
import { startFailure } from './start-failure.js';
import { DataDirectoryInUse, lockDataDirectory } from './storage/data-directory-lock.js';
import { CommandFailed, type DatabaseAccess, type KeyRoom } from '../edge/cli/index.js';

/** Loaded only when keys are needed, because the list of sealed columns imports every feature. */
const loadKeys = async () => ({
  ...(await import('./storage/open-keyring.js')),
  ...(await import('./storage/sealed-columns.js')),
});

/** Opens the configured database for one command, as the gateway does, and closes it after the command. */
export async function withDatabase<Result>(
  access: DatabaseAccess,
  work: (database: Database, configuration: Configuration) => Promise<Result>,
): Promise<Result> {
  const configuration = await readConfiguration();
  try {
    await using parts = new AsyncDisposableStack();
    const database = await openForCommand(configuration, access, parts);
    if (access.migrated) await requireMigrated(database);
    // A command acts for the operator, who may act for every organization.
    return await acrossOrganizations(() => work(database, configuration));
  } catch (thrown) {
    const sentence = thrown instanceof CommandFailed ? undefined : startFailure(thrown, configuration);
    throw sentence === undefined ? thrown : new CommandFailed(sentence, 1, { cause: thrown });
  }
}

/** Reports a database that is not migrated as a failure of the command. */
export async function requireMigrated(database: Database): Promise<void> {
  if ((await database.pendingMigrations()).length > 0)
    throw new CommandFailed('The database is not up to date. Run: lucarne migrate');
}

/** As {@link withDatabase}, with everything that operations need. The database must be migrated. */
export async function withFoundation<Result>(
  access: DatabaseAccess,
  work: (foundation: Foundation) => Promise<Result>,
): Promise<Result> {
  return withDatabase(access, async (database, configuration) => {
    await requireMigrated(database);
    const { openKeyring } = await loadKeys();
    await using signals = inProcessSignals();
    await using keyring = await openKeyring(configuration, { database, log: silentLog });
    await requireMasterKey(() => keyring.open());
    // A command can wait for a person longer than data keys may be used without a refresh.
    keyring.follow();
    return await work({
      ...{ database, reads: database },
      signals,
      clock: systemClock,
      random: systemRandom,
      sealer: keyring.sealer,
      signingKeys: signingKeysOf(configuration),
      log: silentLog,
    });
  });
}

/** As {@link withDatabase}, with what changes keys. The database must be migrated. */
export async function withKeys<Result>(
  access: DatabaseAccess,
  work: (keys: KeyRoom) => Promise<Result>,
): Promise<Result> {
  return withDatabase(access, async (database, configuration) => {
    await requireMigrated(database);
    const { openKeyring, openMasterKeys, PURPOSES, SEALED_COLUMNS } = await loadKeys();
    await using keyring = await openKeyring(configuration, { database, log: silentLog });
    const masterKeys = await openMasterKeys(configuration);
    return await work({ database, masterKeys, keyring, columns: SEALED_COLUMNS, purposes: PURPOSES });
  });
}

/** Reports a wrong master key as a failure of the command. */
async function requireMasterKey(check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (thrown) {
    throw thrown instanceof WrongMasterKey ? new CommandFailed(thrown.message, 1, { cause: thrown }) : thrown;
  }
}

async function openForCommand(
  configuration: Configuration,
  { instead, isLong }: DatabaseAccess,
  parts: AsyncDisposableStack,
): Promise<Database> {
  if (configuration.databaseUrl === undefined) {
    try {
      parts.use(await lockDataDirectory(configuration.dataDirectory));
    } catch (thrown) {
      if (!(thrown instanceof DataDirectoryInUse)) throw thrown;
      throw new CommandFailed(`${thrown.message} ${instead}`, 1, { cause: thrown });
    }
  }
  return openDatabase(configuration, parts, isLong ? { silenceMs: 0 } : {});
}
