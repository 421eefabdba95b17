import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { connectDatabase, type Database } from '../../../src/platform/database/index.js';
import { openPglite } from '../../../src/platform/database/embedded/open-pglite.js';
import { entities } from '../../../src/app/storage/entities.js';
import { createTestDatabase } from './database.js';
import { templateDirectory } from './template.js';

/** The location of a database that another process can open: a directory of PGlite, or the URL of a PostgreSQL database. */
export type DatabaseTarget = { readonly directory: string } | { readonly url: string };

/** A migrated, empty database that outlives the processes that open it. Removed on disposal. */
export interface DurableDatabase extends AsyncDisposable {
  readonly target: DatabaseTarget;
  /** Opens it in this process. A directory must be closed before another process opens it. */
  open(): Promise<Database>;
}

export async function createDurableDatabase(): Promise<DurableDatabase> {
  return process.env['DATABASE_URL'] === undefined ? inDirectory() : onServer();
}

async function inDirectory(): Promise<DurableDatabase> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'lucarne-durable-'));
  const directory = path.join(parent, 'database');
  await cp(templateDirectory('migrated'), directory, { recursive: true });
  return {
    target: { directory },
    async open() {
      // In this thread: its WebAssembly is compiled once, and not each time the database is opened.
      const embedded = await openPglite(directory);
      const database = await connectDatabase({ entities, target: { embedded } });
      return {
        ...database,
        async [Symbol.asyncDispose]() {
          await database[Symbol.asyncDispose]();
          await embedded.close();
        },
      };
    },
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true, maxRetries: 3 }),
  };
}

async function onServer(): Promise<DurableDatabase> {
  const database = await createTestDatabase();
  const target = { url: database.url! };
  return {
    target,
    open: () => connectDatabase({ entities, target }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
