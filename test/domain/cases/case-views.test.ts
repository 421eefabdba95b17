import { beforeEach, describe, expect, it } from '@jest/globals';
import { countCaseViews } from '../../../src/domain/cases/records/count-case-views.js';
import { sql, type Database } from '../../../src/platform/database/index.js';
import {
  auditorCiphertexts,
  randomAddress,
  seedAsset,
  seedRecords,
  type SeededAsset,
  type SeededRecord,
} from '../../kit/ledger/confidential-records.js';
import { openTestFoundation } from '../../kit/seed.js';
import { logOf, openOffice, setClock } from './kit.js';

const IN_PERIOD = Date.parse('2026-02-14T12:00:00Z') / 1000;
const DEPOSIT: SeededRecord = {
  type: 'confidential_deposit',
  blockTime: IN_PERIOD,
  publicData: { instructionIndex: 0, amount: '1', authority: randomAddress() },
};

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const office = await openOffice(foundation);

describe('the case transactions that a user reads', () => {
  let asset: SeededAsset;

  beforeEach(async () => {
    asset = await seedAsset(foundation, office.organization.id, { applicationId: office.application.id });
  });
  const add = async (records: readonly SeededRecord[]) => seedRecords(foundation, asset, records);

  it('are logged as viewed once per user, case and hour, before anything is returned', async () => {
    await add([DEPOSIT]);
    const opened = await office.open({
      assetIds: [asset.id],
      auditorIds: [office.ana.principal.userId, office.abel.principal.userId],
    });
    const views = async () =>
      (await logOf(foundation, opened.id)).filter((type) => type === 'case.viewed').length;
    await Promise.all([...[1, 2, 3].map(() => office.transactions(opened.id)), office.totals(opened.id)]);
    expect(await views()).toBe(1);
    await office.transactions(opened.id, {}, office.abel.principal);
    expect(await views()).toBe(2);
    clock.set('2026-03-10T12:59:59.999Z');
    await office.transactions(opened.id);
    expect(await views()).toBe(2);
    clock.set('2026-03-10T13:00:00.000Z');
    await office.transactions(opened.id);
    expect(await views()).toBe(3);
    const [entry] = await database.rows(sql<{ entry: unknown }>`
      select entry from activity_entries where case_id = ${opened.id} order by sequence desc limit 1`);
    expect(entry!.entry).toMatchObject({
      user_id: office.ana.principal.userId,
      application_foreign_id: 'payments',
      case_id: opened.id,
      details: {
        hour: '2026-03-10T13:00:00.000Z',
        transactions: 1,
        previous: { hour: '2026-03-10T12:00:00.000Z', answers: 5, transactions: 5 },
      },
    });
  });

  it('are counted in the log after the hour has ended, by only one of two gateways, and by neither if the log already has them all', async () => {
    await add([DEPOSIT]);
    clock.set('2026-03-11T12:10:00.000Z');
    const opened = await office.open({
      assetIds: [asset.id],
      auditorIds: [office.ana.principal.userId, office.abel.principal.userId],
    });
    for (let answers = 1; answers <= 3; answers += 1) await office.transactions(opened.id);
    await office.transactions(opened.id, {}, office.abel.principal);
    const count = () => Promise.all([countCaseViews(foundation), countCaseViews(foundation)]);
    const counted = async () =>
      database.rows(sql<{ actor: string; details: unknown }>`
        select actor_id as actor, entry -> 'details' as details from activity_entries
        where case_id = ${opened.id} and event_type = 'case.views_counted'`);
    clock.set('2026-03-11T13:00:59.999Z');
    await count();
    expect(await counted()).toEqual([]);
    clock.set('2026-03-11T13:01:00.000Z');
    // A gateway that is killed before the commit has written nothing.
    const killed: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (transaction) => {
          await work(transaction);
          throw new Error('killed');
        }),
    };
    await expect(countCaseViews({ ...foundation, database: killed })).rejects.toThrow('killed');
    expect(await counted()).toEqual([]);
    await count();
    await count();
    const hour = '2026-03-11T12:00:00.000Z';
    const total = { user_id: office.ana.principal.userId, hour, answers: 3, transactions: 3 };
    expect(await counted()).toEqual([{ actor: 'gateway', details: total }]);
  });

  it('are not decrypted while the log cannot be written', async () => {
    await add([
      {
        type: 'confidential_transfer',
        blockTime: IN_PERIOD,
        ciphertexts: auditorCiphertexts(asset.auditorPublicKey, 7n),
      },
    ]);
    const opened = await office.open({ assetIds: [asset.id] });
    await database.rows(sql`
      create function refuse_entries() returns trigger language plpgsql as $$ begin raise 'disk full'; end $$`);
    await database.rows(sql`
      create trigger refuse_entries before insert on activity_entries execute function refuse_entries()`);
    try {
      for (const read of [() => office.transactions(opened.id), () => office.totals(opened.id)])
        await expect(read()).rejects.toThrow('disk full');
    } finally {
      await database.rows(sql`drop trigger refuse_entries on activity_entries`);
    }
    const views = await database.rows(sql`select from case_views where case_id = ${opened.id}`);
    expect(views).toEqual([]);
    const { nodes } = await office.transactions(opened.id);
    expect(nodes[0]).toMatchObject({ amount: '7' });
  });
});
