import { randomBytes } from 'node:crypto';
import pg from 'pg';
import {
  connectDatabase,
  type Database,
  type DatabaseOptions,
} from '../../../src/platform/database/index.js';
import { presentScope } from '../../../src/platform/database/scope/acting-for.js';
import { entities } from '../../../src/app/storage/entities.js';
import { openCopy } from './template.js';

/** The name of the PostgreSQL template that the global setup prepares once for a run. */
const TEMPLATE_VARIABLE = 'LUCARNE_TEST_TEMPLATE';

/**
 * A migrated, empty database for one test: a PGlite copy, or with `DATABASE_URL` a PostgreSQL database made from a template and
 * dropped on disposal.
 */
export async function createTestDatabase(): Promise<Database & { readonly url?: string }> {
  const serverUrl = process.env['DATABASE_URL'];
  if (serverUrl === undefined) {
    const pglite = await openCopy('migrated');
    const database = await connectDatabase({ entities, target: { embedded: pglite } });
    return {
      ...database,
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        await pglite.close();
      },
    };
  }
  const template = process.env[TEMPLATE_VARIABLE];
  if (template === undefined) throw new Error('The global setup has prepared no template.');
  const name = `lucarne_test_${randomBytes(8).toString('hex')}`;
  await administer(serverUrl, `create database ${name} template ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const owner = await connectDatabase({ entities, target: { url: url.href } });
  const asServing = new URL(url);
  asServing.username = SERVING_ROLE;
  const serving = await connectDatabase({ entities, target: { url: asServing.href } });
  return {
    ...servedBy(owner, serving),
    url: url.href,
    async [Symbol.asyncDispose]() {
      await serving[Symbol.asyncDispose]();
      await owner[Symbol.asyncDispose]();
      await administer(serverUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

/** The role that may serve every database of the tests. The global setup creates it. */
export const SERVING_ROLE = 'lucarne_test_serve';

/**
 * A gateway sets the organization of each of its statements: they run with the serving role, under row-level security. The
 * statements of a test itself, without a gateway, run as the owner of the tables.
 */
function servedBy(owner: Database, serving: Database): Database {
  const present = () => (presentScope() !== undefined ? serving : owner);
  return {
    ...owner,
    rows: (statement) => present().rows(statement),
    transaction: (work) => present().transaction(work),
  };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * A database without tables. PostgreSQL, which has a URL, can be opened several times. PGlite, which has one connection, is
 * shared.
 */
export async function createEmptyDatabase(): Promise<
  AsyncDisposable & { readonly url?: string; open(count: number): Promise<Database[]> }
> {
  const parts = new AsyncDisposableStack();
  const serverUrl = process.env['DATABASE_URL'];
  const open = async (target: DatabaseOptions['target'], count: number) => {
    const opened = Array.from({ length: count }, () => connectDatabase({ entities, target }));
    return (await Promise.all(opened)).map((database) => parts.use(database));
  };
  if (serverUrl === undefined) {
    const embedded = await openCopy('empty');
    parts.defer(() => embedded.close());
    const one = await open({ embedded }, 1);
    return { open: () => Promise.resolve(one), [Symbol.asyncDispose]: () => parts.disposeAsync() };
  }
  const name = `lucarne_test_${randomBytes(8).toString('hex')}`;
  await administer(serverUrl, `create database ${name}`);
  parts.defer(() => administer(serverUrl, `drop database if exists ${name} with (force)`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    open: (count) => open({ url: url.href }, count),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
