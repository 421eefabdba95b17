import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { countInWindows, sql, type Database } from '../../src/database/index.js';
import { isLucarneError } from '../../src/kernel/errors.js';
import { createTestDatabase } from '../kit/database.js';

describe('requests that are counted in windows', () => {
  let database: Database;
  let now: number;
  let key: string;
  const clock = { now: () => new Date(now) };

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => database[Symbol.asyncDispose]());
  beforeEach(() => {
    now = Date.parse('2026-11-21T12:00:00.000Z');
    key = randomUUID();
  });

  const count = (limit = 3, of = key) => countInWindows(database, [{ key: of, limit }], clock);
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

  it('pass up to the limit and are refused past it, with the seconds to the next window', async () => {
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

  it('pass exactly as many times as the limit says when they come at once', async () => {
    expect(await countAll(40, 25)).toBe(25);
    expect(await countAll(5, 25)).toBe(0);
  });

  it('are counted apart for each key, of which only a digest is stored', async () => {
    await count(1, '192.0.2.77');
    await count(1, '192.0.2.78');
    await expect(count(1, '192.0.2.77')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    const rows = await database.rows(sql<{ text: string }>`
      select rate_windows::text as text, encode(key_hash, 'escape') as key from rate_windows`);
    expect(JSON.stringify(rows)).not.toContain('192.0.2');
  });

  it('are counted in each of several windows, up to the one that refuses', async () => {
    const [client, pool] = [`client ${key}`, `pool ${key}`];
    const both = () =>
      countInWindows(
        database,
        [
          { key: client, limit: 2 },
          { key: pool, limit: 3 },
        ],
        clock,
      );
    await both();
    await both();
    await expect(both()).rejects.toThrow('More than 2 requests');
    // Of the pool only two were counted.
    await count(3, pool);
    await expect(count(3, pool)).rejects.toThrow('More than 3 requests');
    const other = countInWindows(
      database,
      [
        { key: `other ${key}`, limit: 2 },
        { key: pool, limit: 3 },
      ],
      clock,
    );
    await expect(other).rejects.toThrow('More than 3 requests');
    await count(2, `other ${key}`);
    await expect(count(2, `other ${key}`)).rejects.toThrow('More than 2 requests');
  });

  it('are forgotten some minutes later, when another window begins', async () => {
    await Promise.all(Array.from({ length: 20 }, () => count(1, randomUUID())));
    expect(await windows()).toBeGreaterThanOrEqual(20);
    now += 180_000;
    await count();
    expect(await windows()).toBe(1);
  });
});
