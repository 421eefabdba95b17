import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { moveOldRecords } from '../../../../src/domain/transactions/parts/move-old-records.js';
import { listParts } from '../../../../src/domain/transactions/parts/parts.js';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { seedAsset } from '../../../kit/ledger/confidential-records.js';
import { seedOrganization, testFoundation } from '../../../kit/seed.js';

const RECORDS = 30;
const FIRST_DAY = Date.UTC(2025, 0, 1);
const DAY_MS = 24 * 60 * 60_000;
const dayAfter = (days: number) => new Date(FIRST_DAY + days * DAY_MS);

describe('moving old records into a separate part', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let assets: Id<'ast'>[];

  beforeEach(async () => {
    database = await createTestDatabase();
    const foundation = testFoundation(database);
    const { organization } = await seedOrganization(foundation, { name: 'Acme' });
    assets = [];
    for (let index = 0; index < 2; index += 1) assets.push((await seedAsset(foundation, organization.id)).id);
    for (const assetId of assets) await write(assetId, 1, RECORDS);
  });
  afterEach(async () => database[Symbol.asyncDispose]());

  /** One record per day. */
  const write = (assetId: Id<'ast'>, from: number, to: number, signature = 'signature') =>
    database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        public_data, ciphertexts, indexed_at)
      select ${assetId} || '-' || n, ${assetId}, n, ${signature} || n, '{0}', 'confidential_deposit', n, n, 'signer',
        '{}', '{}', ${dayAfter(0)}::timestamptz + (n - 1) * interval '1 day'
      from generate_series(${from}::integer, ${to}::integer) as n`);
  const records = () =>
    database.rows(sql`select to_jsonb(transactions) - 'part' as record from transactions order by id`);
  const perPart = async () => {
    const rows = await database.rows(
      sql<{ part: string; count: number }>`select tableoid::regclass::text as part, count(*)::integer as count
        from transactions group by 1 order by 1`,
    );
    return Object.fromEntries(rows.map(({ part, count }) => [part, count]));
  };
  const move = (days: number, options = {}) =>
    moveOldRecords(database, { before: dayAfter(days), tablespace: null, batchSize: 4, ...options });

  it('moves those that were indexed before the given day, of every asset, and changes none', async () => {
    const before = await records();
    const reported: number[] = [];
    expect(await move(10, { progress: (moved: number) => reported.push(moved) })).toBe(20);
    expect(reported).toEqual([4, 8, 10, 14, 18, 20]);
    expect(await records()).toEqual(before);
    expect(await perPart()).toEqual({ transactions_before_2025_01_11: 20, transactions_live: 40 });
    expect(await move(10)).toBe(0);
    expect(await move(20)).toBe(20);
    expect(await perPart()).toEqual({
      transactions_before_2025_01_11: 20,
      transactions_before_2025_01_21: 20,
      transactions_live: 20,
    });
    expect(await records()).toEqual(before);
    expect((await listParts(database)).map(({ before: end }) => end)).toEqual([
      dayAfter(10),
      dayAfter(20),
      null,
    ]);
  });

  it('rests between batches if it has only a share of the time', async () => {
    let [nowMs, calls] = [0, 0];
    const rests: number[] = [];
    const time = {
      // Called before and after each batch, which takes half a second.
      elapsedMs: () => (nowMs += calls++ % 2 === 0 ? 0 : 500),
      pause: (ms: number) => {
        rests.push(ms);
        nowMs += ms;
        return Promise.resolve();
      },
    };
    expect(await move(10, { time })).toBe(20);
    expect(rests).toEqual([]);
    const began = nowMs;
    expect(await move(20, { time, share: 0.25 })).toBe(20);
    const rested = rests.reduce((sum, ms) => sum + ms, 0);
    expect(rested).toBeGreaterThan((nowMs - began) / 2);
  });

  it('continues where it was stopped, at each point', async () => {
    const before = await records();
    // Each run dies one statement later.
    let point = 0;
    for (let isDone = false; !isDone;) {
      point += 1;
      const options = { before: dayAfter(10), tablespace: null, batchSize: 1 };
      isDone = await moveOldRecords(dyingBefore(database, point), options).then(
        () => true,
        (thrown: unknown) => {
          if (!(thrown instanceof Killed)) throw thrown;
          return false;
        },
      );
      expect(await records()).toEqual(before);
    }
    expect(point).toBeGreaterThan(15);
    expect(await perPart()).toEqual({ transactions_before_2025_01_11: 20, transactions_live: 40 });
  });

  it.each([
    ['the same day', 10, 20],
    ['another day', 20, 40],
  ])('lets two operators move at once, the second before %s: they take turns', async (_, days, all) => {
    const before = await records();
    const moved = await Promise.all([move(10, { batchSize: 1 }), move(days, { batchSize: 1 })]);
    expect(moved[0] + moved[1]).toBe(all);
    expect(await records()).toEqual(before);
    expect((await perPart())['transactions_live']).toBe(60 - all);
  });

  it('frees the space of records that a stopped run moved', async () => {
    const isVacuumed = async () => {
      const [table] = await database.rows(
        sql<{
          tuples: number;
        }>`select reltuples as tuples from pg_class where oid = 'transactions_live'::regclass`,
      );
      return table!.tuples >= 0;
    };
    await expect(
      move(10, {
        progress: (moved: number) => {
          if (moved === 20) throw new Killed();
        },
      }),
    ).rejects.toThrow(Killed);
    expect(await isVacuumed()).toBe(false);
    expect(await move(10)).toBe(0);
    expect(await isVacuumed()).toBe(true);
  });

  it.each([
    ['within a day', new Date(FIRST_DAY + 1)],
    ['today', new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS)],
    ['before there were days', new Date(0)],
  ])('refuses a part that ends %s', async (_when, before) => {
    await expect(moveOldRecords(database, { before, tablespace: null })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    });
    expect(await listParts(database)).toHaveLength(1);
  });

  it('refuses to insert a record that a part contains', async () => {
    await move(10);
    await expect(
      database.rows(sql`
        insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
          public_data, ciphertexts, indexed_at)
        values ('again', ${assets[0]}, 100, 'signature3', '{0}', 'confidential_deposit', 3, 3, 'signer', '{}', '{}', now())`),
    ).rejects.toMatchObject({ code: '23505', constraint: 'transactions_signature' });
    // Older history that was not indexed yet can be inserted.
    await write(assets[0]!, 101, 101, 'unknown');
  });
});

class Killed extends Error {}

/** A database whose process ends before its `point`-th statement. */
function dyingBefore(database: Database, point: number): Database {
  let statements = 0;
  const next = () => {
    statements += 1;
    if (statements === point) throw new Killed();
  };
  return {
    ...database,
    async rows(statement) {
      next();
      return database.rows(statement);
    },
    transaction: (work) =>
      database.transaction((transaction) =>
        work({
          ...transaction,
          async rows(statement) {
            next();
            return transaction.rows(statement);
          },
        }),
      ),
  };
}
