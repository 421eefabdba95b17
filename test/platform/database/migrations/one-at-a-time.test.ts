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
