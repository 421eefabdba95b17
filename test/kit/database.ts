import { readFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { connectDatabase, type Database } from '../../src/database/index.js';
import { typeParsers } from '../../src/database/type-parsers.js';
import { entities } from '../../src/entities.js';

/** The migrated templates that the global set-up prepares once for a run. */
export const TEMPLATE_VARIABLE = 'LUCARNE_TEST_TEMPLATE';

/**
 * A migrated, empty database of the test's own: a PGlite copy, or with `DATABASE_URL` a PostgreSQL database made from
 * a template and dropped on disposal.
 */
export async function createTestDatabase(): Promise<Database & { readonly url?: string }> {
  const template = process.env[TEMPLATE_VARIABLE];
  if (template === undefined) throw new Error('The global set-up has prepared no template.');
  const serverUrl = process.env['DATABASE_URL'];
  if (serverUrl === undefined) {
    const pglite = await PGlite.create({
      loadDataDir: new Blob([await readFile(template)]),
      parsers: typeParsers,
    });
    const database = await connectDatabase({ entities, target: { pglite } });
    return {
      ...database,
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        await pglite.close();
      },
    };
  }
  const name = `lucarne_test_${randomBytes(8).toString('hex')}`;
  await administer(serverUrl, `create database ${name} template ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = await connectDatabase({ entities, target: { url: url.href } });
  return {
    ...database,
    url: url.href,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await administer(serverUrl, `drop database if exists ${name} with (force)`);
    },
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
