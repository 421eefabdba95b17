import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  archivePart,
  attachPart,
  listTransactions,
  moveOldRecords,
} from '../../src/domain/transactions/index.js';
import { type Database, sql } from '../../src/platform/database/index.js';
import type { Id } from '../../src/platform/kernel/ids.js';
import { temporaryDirectory } from '../app/gateway-process.js';
import { PUBLIC_HOST } from '../domain/activity-log/kit.js';
import { seedAsset } from '../kit/ledger/confidential-records.js';
import { createDurableDatabase, type DurableDatabase } from '../kit/database/durable-database.js';
import { type SeededOrganization, seedOrganization, testFoundation } from '../kit/seed.js';
import { dying, type Moment, type Work } from './dying.js';
import { insertOldRecords } from './old-records.js';

const RECORDS = 10;
const BATCH_SIZE = 4;
const DAY = new Date('2025-02-01');

describe('a process that is killed while old records are archived or restored', () => {
  let durable: DurableDatabase;
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let home: SeededOrganization;
  let assetId: Id<'ast'>;
  let file: string;
  let whole: unknown[];

  beforeEach(async () => {
    durable = await createDurableDatabase();
    folder = await temporaryDirectory();
    file = path.join(folder.path, 'records');
    await inDatabase(async (database) => {
      const foundation = testFoundation(database);
      home = await seedOrganization(foundation, { name: 'Acme' });
      ({ id: assetId } = await seedAsset(foundation, home.organization.id));
      await insert(database, 1, RECORDS);
      await moveOldRecords(database, { before: DAY, tablespace: null });
      whole = await records(database);
    });
  });
  afterEach(async () => {
    await folder[Symbol.asyncDispose]();
    await durable[Symbol.asyncDispose]();
  });

  async function inDatabase<Result>(run: (database: Database) => Promise<Result>): Promise<Result> {
    await using database = await durable.open();
    return await run(database);
  }
  const insert = (database: Database, from: number, to: number, name?: string) =>
    insertOldRecords(database, assetId, [from, to], name);
  const records = (database: Database) =>
    database.rows(sql`select transactions::text as record from transactions order by position`);
  const die = async (work: object, moment: Moment | undefined) => {
    const log = { organizationId: home.organization.id, publicHost: PUBLIC_HOST };
    await dying({
      ...{ target: durable.target, masterKey: randomBytes(32), work: { ...work, log } as Work },
      ...(moment && { moment }),
    });
  };
  /** Every record is listed, or the list is refused. No record can be inserted a second time. */
  async function isWholeOrAway(database: Database): Promise<'whole' | 'away'> {
    const page = listTransactions({ database, reads: database }, home.apiKey.principal, {
      assetId,
      first: 50,
    });
    const state = await page.then(
      ({ nodes }) => {
        expect(nodes).toHaveLength(RECORDS);
        return 'whole' as const;
      },
      (thrown: unknown) => {
        expect(thrown).toMatchObject({ reason: 'records_archived' });
        return 'away' as const;
      },
    );
    for (const position of [1, RECORDS])
      await expect(insert(database, position, position, 'again')).rejects.toMatchObject({ code: '23505' });
    return state;
  }

  it.each<[string, Moment | undefined, 'whole' | 'away']>([
    ['while the file is written', { after: 'select asset_id as', before: 'select asset_id as' }, 'whole'],
    ['when the file is written', { before: 'with same as' }, 'whole'],
    ['before it is locked', { after: 'with same as', before: 'lock table' }, 'whole'],
    ['before it is detached', { after: 'update assets', before: 'alter table transactions detach' }, 'whole'],
    ['before it is dropped', { after: 'alter table transactions detach', before: 'drop table' }, 'whole'],
    ['before that is committed', { after: 'drop table', before: 'commit' }, 'whole'],
    ['right after it', undefined, 'away'],
  ])('has every record in the database or in the file: %s', async (_, moment, state) => {
    await die({ kind: 'archiveRecords', before: DAY.toISOString(), file, batchSize: BATCH_SIZE }, moment);
    await inDatabase(async (database) => {
      expect(await isWholeOrAway(database)).toBe(state);
      const archived = await archivePart(database, { before: DAY, file, batchSize: BATCH_SIZE });
      expect(archived.records).toBe(RECORDS);
      expect(await isWholeOrAway(database)).toBe('away');
      await attachPart(database, { file, tablespace: null });
      expect(await records(database)).toEqual(whole);
    });
  });

  it.each<[string, Moment | undefined, 'whole' | 'away']>([
    ['before its table is there', { before: 'create table' }, 'away'],
    ['before a record is loaded', { before: 'insert into' }, 'away'],
    ['when they are loaded', { after: 'insert into', before: 'vacuum' }, 'away'],
    ['before it is attached', { after: 'lock table', before: 'alter table transactions attach' }, 'away'],
    ['before that is committed', { after: 'delete from "archived_parts"', before: 'commit' }, 'away'],
    ['before its keys are forgotten', { before: 'delete from "archived_keys"' }, 'whole'],
    ['right after it', undefined, 'whole'],
  ])('puts back every record once: %s', async (_, moment, state) => {
    await inDatabase((database) => archivePart(database, { before: DAY, file }));
    await die({ kind: 'attachRecords', file }, moment);
    await inDatabase(async (database) => {
      expect(await isWholeOrAway(database)).toBe(state);
      await attachPart(database, { file, tablespace: null });
      expect(await isWholeOrAway(database)).toBe('whole');
      expect(await records(database)).toEqual(whole);
      expect(await database.rows(sql`select from archived_keys`)).toEqual([]);
      await archivePart(database, { before: DAY, file });
      expect(await isWholeOrAway(database)).toBe('away');
    });
  });
});
