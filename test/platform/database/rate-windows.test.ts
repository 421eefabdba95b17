import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import {
  countInWindows,
  countTogether,
  fullWindows,
  sql,
  sweepRateWindows,
  windowDigests,
  type RateWindow,
} from '../../../src/platform/database/index.js';
import { isLucarneError } from '../../../src/platform/kernel/errors.js';
import { forFile } from '../../kit/for-file.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { withinOneMinute } from '../../kit/database/within-one-minute.js';
import { testFoundation } from '../../kit/seed.js';

const database = forFile(await createTestDatabase());
const foundation = testFoundation(database);

describe('rate-limited requests', () => {
  let now: number;
  let key: string;

  beforeEach(() => {
    now = Date.parse('2026-11-21T12:00:00.000Z');
    key = randomUUID();
  });

  const countIn = (...windows: RateWindow[]) =>
    countInWindows(foundation, windows, sql<Date>`${new Date(now)}::timestamptz`);
  const count = (limit = 3, counted = key) => countIn({ key: counted, limit });
  const countAll = async (times: number, limit: number) =>
    (await Promise.allSettled(Array.from({ length: times }, () => count(limit)))).filter(
      ({ status }) => status === 'fulfilled',
    ).length;
  const windows = async () => {
    const [row] = await database.rows(
      sql<{ count: number }>`select count(*)::int as count from rate_windows`,
    );
    return row!.count;
  };

  it('are counted without waiting for the disk', async () => {
    const noticed = await createTestDatabase();
    // Called when the count is committed.
    await noticed.rows(sql`create function expect_no_wait() returns trigger language plpgsql as $$
      begin
        if current_setting('synchronous_commit') <> 'off' then raise 'the commit waits'; end if;
        return null;
      end $$`);
    await noticed.rows(sql`create constraint trigger at_commit after insert or update on rate_windows
      deferrable initially deferred for each row execute function expect_no_wait()`);
    const counter = testFoundation(noticed);
    await countInWindows(counter, [{ key, limit: 1 }]);
    expect(await countTogether(counter, [randomUUID()], 1)).toEqual([undefined]);
    await noticed[Symbol.asyncDispose]();
  });

  it('pass up to the limit and are refused beyond it, with the seconds to the next window', async () => {
    for (let request = 0; request < 3; request += 1) await count();
    now += 12_500;
    const thrown = await count().catch((error: unknown) => error);
    expect(isLucarneError(thrown) && [thrown.code, thrown.retryAfterSeconds]).toEqual([
      'TOO_MANY_REQUESTS',
      48,
    ]);
    now += 47_499;
    await expect(count()).rejects.toMatchObject({ retryAfterSeconds: 1 });
    now += 1;
    await expect(count()).resolves.toBeUndefined();
  });

  it('pass exactly as often as the limit allows when they are concurrent', async () => {
    expect(await countAll(40, 25)).toBe(25);
    expect(await countAll(5, 25)).toBe(0);
  });

  it('are counted for each key, stored only as a digest under the master key', async () => {
    await count(1, '192.0.2.77');
    await count(1, '192.0.2.78');
    await expect(count(1, '192.0.2.77')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    const rows = await database.rows(sql<{ text: string }>`
      select rate_windows::text as text, encode(key_hash, 'escape') as key from rate_windows`);
    expect(JSON.stringify(rows)).not.toContain('192.0.2');
    // The IPv4 address of an unkeyed hash can be found by trying all addresses.
    const guess = createHash('sha256').update('192.0.2.77').digest('hex');
    expect(JSON.stringify(rows)).not.toContain(guess);
  });

  it('are counted in each of several windows, up to the first that refuses', async () => {
    const [client, pool] = [`client ${key}`, `pool ${key}`];
    const both = () => countIn({ key: client, limit: 2 }, { key: pool, limit: 3 });
    await both();
    await both();
    await expect(both()).rejects.toThrow('More than 2 requests');
    // Only two were counted for the pool.
    await count(3, pool);
    await expect(count(3, pool)).rejects.toThrow('More than 3 requests');
    const other = countIn({ key: `other ${key}`, limit: 2 }, { key: pool, limit: 3 });
    await expect(other).rejects.toThrow('More than 3 requests');
    await count(2, `other ${key}`);
    await expect(count(2, `other ${key}`)).rejects.toThrow('More than 2 requests');
  });

  it('are decided in order when counted together: the first ones of a key pass', async () => {
    const fixed = sql<Date>`${new Date(now)}::timestamptz`;
    const other = randomUUID();
    const asked = [key, other, key, key, key, other];
    const passed = async (keys: readonly string[]) =>
      (await countTogether(foundation, keys, 3, fixed)).map((refusal) => refusal?.message ?? 'passed');
    const refused = 'More than 3 requests within a minute. Try again later.';
    expect(await passed(asked)).toEqual(['passed', 'passed', 'passed', 'passed', refused, 'passed']);
    expect(await passed([key, other, other])).toEqual([refused, 'passed', refused]);
    await expect(count(3, other)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    now += 12_500;
    const [refusal] = await countTogether(foundation, [key], 3, sql<Date>`${new Date(now)}::timestamptz`);
    expect(refusal).toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 48 });
  });

  it('are counted correctly by concurrent groups of several instances, for any contents', async () => {
    const keys = [key, randomUUID(), randomUUID()];
    const groups = Array.from({ length: 12 }, (_, at) => [...keys.slice(at % 3), ...keys]);
    const fixed = sql<Date>`${new Date(now)}::timestamptz`;
    const refusals = await Promise.all(groups.map((group) => countTogether(foundation, group, 10, fixed)));
    const passed = groups.flatMap((group, at) =>
      group.filter((_, index) => refusals[at]![index] === undefined),
    );
    for (const one of keys) expect(passed.filter((counted) => counted === one)).toHaveLength(10);
  });

  it('are deleted some minutes later, when another window begins', async () => {
    await Promise.all(Array.from({ length: 20 }, () => count(1, randomUUID())));
    expect(await windows()).toBeGreaterThanOrEqual(20);
    now += 180_000;
    await count();
    expect(await windows()).toBe(1);
    now += 180_000;
    await countTogether(foundation, [key, key], 3, sql<Date>`${new Date(now)}::timestamptz`);
    expect(await windows()).toBe(1);
  });

  it('are deleted by the sweep in batches if nobody sends requests anymore, and not before they end', async () => {
    const { sweep } = sweepRateWindows(database);
    await sweep(10_000);
    await countInWindows(foundation, [{ key, limit: 1 }]);
    now = Date.now() - 180_000;
    for (let times = 0; times < 3; times += 1) await count(1, randomUUID());
    expect([await sweep(2), await sweep(2), await sweep(2)]).toEqual([2, 1, 0]);
    expect(await windows()).toBe(1);
  });

  it('are counted even if ended windows cannot be deleted, and that failure is logged', async () => {
    await count(1, randomUUID());
    now += 180_000;
    await database.rows(sql`create function refuse_deletion() returns trigger language plpgsql
      as $$ begin raise 'not deleted'; end $$`);
    await database.rows(sql`create trigger refuse_deletion before delete on rate_windows
      for each row execute function refuse_deletion()`);
    const lines: string[] = [];
    const logging = { ...foundation, log: pino({}, { write: (line: string) => void lines.push(line) }) };
    const fixed = sql<Date>`${new Date(now)}::timestamptz`;
    try {
      expect(await countTogether(logging, [key, key], 3, fixed)).toEqual([undefined, undefined]);
      await countInWindows(logging, [{ key: randomUUID(), limit: 1 }], fixed);
    } finally {
      await database.rows(sql`drop trigger refuse_deletion on rate_windows`);
      await database.rows(sql`drop function refuse_deletion`);
    }
    expect(lines.map((line) => (JSON.parse(line) as { err: { message: string } }).err.message)).toEqual([
      expect.stringContaining('not deleted'),
      expect.stringContaining('not deleted'),
    ]);
  });

  it('are counted in the database’s minute, regardless of the instance’s clock', async () => {
    const { minute, second, last } = await withinOneMinute(database, async (minute) => {
      const counting = [{ key: randomUUID(), limit: 1 }];
      await countInWindows(foundation, counting);
      const second = await countInWindows(foundation, counting).catch((error: unknown) => error);
      const [row] = await database.rows(
        sql<{ last: Date }>`select max(started_at) as last from rate_windows`,
      );
      return { minute, second, last: row!.last };
    });
    expect(second).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(last).toEqual(minute);
  });

  it('can be checked against full windows without being counted', async () => {
    const { before, after } = await withinOneMinute(database, async () => {
      const other = randomUUID();
      const fullAmong = async (...keys: string[]) => {
        const digests = windowDigests(foundation.sealer, keys);
        const [row] = await database.rows(
          sql<{ full: number[]; left: number }>`select ${fullWindows.among(digests, 2)} as full,
            ${fullWindows.secondsLeft()} as left`,
        );
        expect(row!.left > 0 && row!.left <= 60).toBe(true);
        return row!.full;
      };
      await countInWindows(foundation, [{ key: other, limit: 2 }]);
      const before = await fullAmong(key, other);
      await countInWindows(foundation, [{ key: other, limit: 2 }]);
      return { before, after: await fullAmong(key, other, key) };
    });
    expect(before).toEqual([]);
    expect(after).toEqual([2]);
  });
});
