import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import {
  connectDatabase,
  type Database,
  openEmbedded,
  type PostgresqlTarget,
} from '../../platform/database/index.js';
import type { Configuration } from '../configuration/index.js';
import { entities } from './entities.js';

/** Opens the configured database. Of the embedded one, the caller holds the data directory; `parts` closes it. */
export async function openDatabase(
  { databaseUrl, dataDirectory }: Pick<Configuration, 'databaseUrl' | 'dataDirectory'>,
  parts: AsyncDisposableStack,
  options: Pick<PostgresqlTarget, 'silenceMs'> = {},
): Promise<Database> {
  if (databaseUrl !== undefined) {
    return parts.use(await connectDatabase({ entities, target: { url: databaseUrl, ...options } }));
  }
  const directory = path.join(dataDirectory, 'database');
  await requireAccess(directory);
  const embedded = await openEmbedded(directory);
  parts.defer(() => embedded.close());
  return parts.use(await connectDatabase({ entities, target: { embedded } }));
}

// The error of the embedded database only says that it aborted.
async function requireAccess(directory: string): Promise<void> {
  try {
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
}
