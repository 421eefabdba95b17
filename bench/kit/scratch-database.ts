import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { entities } from '#lucarne/app/storage/entities.js';
import { connectDatabase, grantServing } from '#lucarne/platform/database/index.js';

/**
 * A new database on the server of `url`, whose user may create databases and roles, and a role of the same name that may serve
 * the database after its migration. Both are dropped on disposal.
 */
export async function createScratchDatabase(
  url: string,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const name = `lucarne_bench_${randomBytes(6).toString('hex')}`;
  await administer(url, `create database ${name}`);
  const password = pg.escapeLiteral(decodeURIComponent(new URL(url).password));
  await administer(url, `create role ${name} login password ${password}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    async [Symbol.asyncDispose]() {
      await administer(url, `drop database if exists ${name} with (force)`);
      await administer(url, `drop role ${name}`);
    },
  };
}

const granted = new Map<string, Promise<string>>();

/** The URL of the role that may serve the migrated scratch database at `url`. Grants once, because the role keeps what it may. */
export function servingUrl(url: string): Promise<string> {
  const known = granted.get(url) ?? grant(url);
  granted.set(url, known);
  return known;
}

async function grant(url: string): Promise<string> {
  const serving = new URL(url);
  serving.username = serving.pathname.slice(1);
  await using database = await connectDatabase({ entities, target: { url } });
  await database.transaction((transaction) => grantServing(transaction, serving.username));
  return serving.href;
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
