import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { moveOldRecords } from '../../src/domain/transactions/index.js';
import { type Database, sql } from '../../src/platform/database/index.js';
import type { Id } from '../../src/platform/kernel/ids.js';
import { PUBLIC_HOST } from '../domain/activity-log/kit.js';
import { seedAsset } from '../kit/ledger/confidential-records.js';
import { createDurableDatabase, type DurableDatabase } from '../kit/database/durable-database.js';
import { seedOrganization, testFoundation } from '../kit/seed.js';
import { dying, type Moment } from './dying.js';
import { insertOldRecords } from './old-records.js';

const RECORDS = 10;
const BATCH_SIZE = 4;
const DAY = new Date('2025-02-01');
const PART = 'transactions_before_2025_02_01';

describe('a process that is killed while it moves old records', () => {
  let durable: DurableDatabase;
  let organizationId: Id<'org'>;
  let assetId: Id<'ast'>;

  beforeEach(async () => {
    durable = await createDurableDatabase();
    await inDatabase(async (database) => {
      const foundation = testFoundation(database);
      ({
        organization: { id: organizationId },
      } = await seedOrganization(foundation, { name: 'Acme' }));
      ({ id: assetId } = await seedAsset(foundation, organizationId));
      await insert(database, 1, RECORDS);
    });
  });
  afterEach(async () => durable[Symbol.asyncDispose]());

  async function inDatabase<Result>(run: (database: Database) => Promise<Result>): Promise<Result> {
    await using database = await durable.open();
    return await run(database);
  }
  const insert = (database: Database, from: number, to: number, name?: string) =>
    insertOldRecords(database, assetId, [from, to], name);
  const records = (database: Database) =>
    database.rows(sql`select to_jsonb(transactions) - 'part' as record from transactions order by position`);
  const moved = async (database: Database) => {
    const rows = await database.rows(sql<{ count: number }>`
      select count(*)::integer as count from transactions where part > 0`);
    return rows[0]!.count;
  };

  it.each<[string, Moment | undefined, number]>([
    ['before the part is a part', { after: 'create table', before: 'alter table transactions attach' }, 0],
    ['before the part is committed', { after: 'alter table transactions attach', before: 'commit' }, 0],
    ['before its first batch', { before: 'with moved as' }, 0],
    ['before its first batch is committed', { after: 'with moved as', before: 'commit' }, 0],
    ['between two batches', { after: 'with moved as', before: 'with moved as' }, BATCH_SIZE],
    ['before the places are given back', { after: 'with moved as', before: 'vacuum' }, RECORDS],
    ['right after it', undefined, RECORDS],
  ])('has every record once, and moves the rest when it is run again: %s', async (_, moment, count) => {
    const before = await inDatabase(records);
    await dying({
      ...{ target: durable.target, masterKey: randomBytes(32) },
      work: {
        ...{ kind: 'moveRecords', before: DAY.toISOString(), batchSize: BATCH_SIZE },
        log: { organizationId, publicHost: PUBLIC_HOST },
      },
      ...(moment && { moment }),
    });
    await inDatabase(async (database) => {
      expect(await records(database)).toEqual(before);
      expect(await moved(database)).toBe(count);
      // No record can be inserted a second time, wherever it is.
      for (const position of [1, RECORDS])
        await expect(insert(database, position, position, 'again')).rejects.toMatchObject({ code: '23505' });
      const options = { before: DAY, tablespace: null, batchSize: BATCH_SIZE };
      expect(await moveOldRecords(database, options)).toBe(RECORDS - count);
      expect(await records(database)).toEqual(before);
      const parts = await database.rows(
        sql`select distinct tableoid::regclass::text as part from transactions`,
      );
      expect(parts).toEqual([{ part: PART }]);
    });
  });
});
