import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from '@jest/globals';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import { eventually } from '../../../kit/eventually.js';
import { createEmptyDatabase } from '../../../kit/database/database.js';
import { migrateBefore } from '../../../kit/database/migrations.js';
import { itOnPostgresql } from '../../../kit/database/on-postgresql.js';

itOnPostgresql('a migration that waits for a table lock does not block reads of any table', async () => {
  await using empty = await createEmptyDatabase();
  const [database, backup, serving] = (await empty.open(3)) as [Database, Database, Database];
  await migrateBefore(database, '0046-parts-of-transactions');
  const outside = AsyncLocalStorage.snapshot();
  const waits = async () => {
    const waiting = await serving.rows(
      sql`select from pg_locks where not granted and relation = 'api_keys'::regclass`,
    );
    return waiting.length > 0;
  };
  let migrating: Promise<string[]> | undefined;
  await backup.transaction(async (transaction) => {
    // The first of the following migrations changes `transactions`, and a later one `api_keys`.
    await transaction.rows(sql`select from api_keys`);
    migrating = outside(() => database.migrate());
    await eventually(() => outside(waits));
    await outside(() =>
      serving.transaction(async (reader) => {
        await reader.rows(sql`set local lock_timeout = '3s'`);
        expect(await reader.rows(sql`select from transactions, api_keys`)).toEqual([]);
      }),
    );
  });
  expect(await migrating).toContain('0050-proposers-of-keys');
});

itOnPostgresql('a migration that is the victim of a deadlock is applied again', async () => {
  await using empty = await createEmptyDatabase();
  const [database, serving] = (await empty.open(2)) as [Database, Database];
  await migrateBefore(database, '0064-earlier-proven-addresses');
  for (const id of ['acc_first', 'acc_second'])
    await database.rows(sql`
      insert into accounts (id, email, oidc_subject, created_at)
      values (${id}, ${`${id}@acme.example`}, ${id}, '2026-01-01T00:00:00Z')`);
  const outside = AsyncLocalStorage.snapshot();
  const waits = async () => (await database.rows(sql`select from pg_locks where not granted`)).length > 0;
  let migrating: Promise<string[]> | undefined;
  await serving.transaction(async (transaction) => {
    // So that the migration is the victim.
    await transaction.rows(sql`set local deadlock_timeout = '10min'`);
    const change = (id: string) =>
      transaction.rows(sql`update accounts set email = 'changed@acme.example' where id = ${id}`);
    await change('acc_second');
    migrating = outside(() => database.migrate());
    await eventually(() => outside(waits));
    await change('acc_first');
  });
  expect(await migrating).toContain('0064-earlier-proven-addresses');
  expect(
    await database.rows(sql`select address_proven_at = created_at as "isProven", email from accounts`),
  ).toEqual(Array.from({ length: 2 }, () => ({ isProven: true, email: 'changed@acme.example' })));
});
