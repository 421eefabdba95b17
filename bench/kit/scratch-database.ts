import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A new database on the server of `url`, whose user may create databases; dropped on disposal. */
export async function createScratchDatabase(
  url: string,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const name = `lucarne_bench_${randomBytes(6).toString('hex')}`;
  await administer(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    [Symbol.asyncDispose]: () => administer(url, `drop database if exists ${name} with (force)`),
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
