import path from 'node:path';
import { readConfiguration, resolveMasterKey, type Configuration } from '../config.js';
import { createSealer } from '../crypto/index.js';
import {
  connectDatabase,
  inProcessSignals,
  openPglite,
  type Database,
  type Foundation,
} from '../database/index.js';
import { entities } from '../entities.js';
import { systemClock } from '../kernel/clock.js';
import { silentLog } from '../kernel/log.js';
import { systemRandom } from '../kernel/random.js';
import {
  checkMasterKey,
  DataDirectoryInUse,
  lockDataDirectory,
  WrongMasterKey,
} from '../operations/index.js';
import { CommandFailed } from './command-failed.js';

export interface DatabaseAccess {
  /** What to do instead while a gateway holds the embedded database, as a sentence. */
  readonly instead: string;
}

/** Opens the configured database as the gateway would, for one command, and closes it whatever happens. */
export async function withDatabase<Result>(
  access: DatabaseAccess,
  work: (database: Database, configuration: Configuration) => Promise<Result>,
): Promise<Result> {
  const configuration = await readConfiguration();
  await using parts = new AsyncDisposableStack();
  const database = parts.use(await openDatabase(configuration, access, parts));
  return await work(database, configuration);
}

/** As {@link withDatabase}, with everything that an operation stands on; the database must be migrated. */
export async function withFoundation<Result>(
  access: DatabaseAccess,
  work: (foundation: Foundation) => Promise<Result>,
): Promise<Result> {
  return withDatabase(access, async (database, configuration) => {
    if ((await database.pendingMigrations()).length > 0) {
      throw new CommandFailed('The database is not up to date. Run: lucarne migrate');
    }
    await using signals = inProcessSignals();
    const sealer = createSealer(await resolveMasterKey(configuration));
    await requireMasterKey(() => checkMasterKey(database, sealer));
    return await work({
      database,
      signals,
      clock: systemClock,
      random: systemRandom,
      sealer,
      log: silentLog,
    });
  });
}

/** Tells a wrong master key in its own sentence. */
export async function requireMasterKey(check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (thrown) {
    throw thrown instanceof WrongMasterKey ? new CommandFailed(thrown.message, 1, { cause: thrown }) : thrown;
  }
}

async function openDatabase(
  { databaseUrl, dataDirectory }: Configuration,
  access: DatabaseAccess,
  parts: AsyncDisposableStack,
): Promise<Database> {
  if (databaseUrl !== undefined) return connectDatabase({ entities, target: { url: databaseUrl } });
  try {
    parts.use(await lockDataDirectory(dataDirectory));
  } catch (thrown) {
    if (!(thrown instanceof DataDirectoryInUse)) throw thrown;
    throw new CommandFailed(`${thrown.message} ${access.instead}`, 1, { cause: thrown });
  }
  const pglite = await openPglite(path.join(dataDirectory, 'database'));
  parts.defer(() => pglite.close());
  return connectDatabase({ entities, target: { pglite } });
}
