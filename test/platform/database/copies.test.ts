import { expect, it } from '@jest/globals';
import { type Database, sql } from '../../../src/platform/database/index.js';
import { createTestDatabase } from '../../kit/database/database.js';

const tables = async (database: Database) =>
  database.rows(sql`select from pg_class where relname = 'written_by_one'`);

it('a row that a test writes to its database is in no other database, opened before it or after it', async () => {
  await using before = await createTestDatabase();
  await using one = await createTestDatabase();
  await one.transaction(async (transaction) => {
    await transaction.rows(sql`create table written_by_one as select n from generate_series(1, 20000) as n`);
    await transaction.rows(sql`create index on written_by_one (n)`);
  });
  await one.rows(sql`checkpoint`);
  await using after = await createTestDatabase();
  expect(await tables(one)).toHaveLength(1);
  expect(await tables(before)).toEqual([]);
  expect(await tables(after)).toEqual([]);
  // Each can still be written, with its own bytes.
  await after.rows(sql`create table written_by_one as select 1 as n`);
  expect(await one.rows(sql`select count(*)::integer as count from written_by_one`)).toEqual([
    { count: 20_000 },
  ]);
  expect(await after.rows(sql`select count(*)::integer as count from written_by_one`)).toEqual([
    { count: 1 },
  ]);
});
