import { describe, expect, it } from '@jest/globals';
import { backOffCeilingMs, backOffMs, Reconnection, retry } from '../../../src/platform/jobs/index.js';
import { fc } from '../../kit/properties.js';

const terms = fc
  .record({ firstMs: fc.integer({ min: 1, max: 60_000 }), more: fc.integer({ min: 0, max: 3_600_000 }) })
  .map(({ firstMs, more }) => ({ firstMs, maxMs: firstMs + more }));
const failures = fc.integer({ min: 0, max: 100_000 });

describe('a back-off', () => {
  it('begins with its initial delay, doubles with each failure and stays at its maximum', () => {
    const ceilings = [1, 2, 3, 4, 5, 6].map((count) =>
      backOffCeilingMs({ firstMs: 100, maxMs: 1_000 }, count),
    );
    expect(ceilings).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('never shrinks with more failures and never exceeds its maximum, for any number of failures', () => {
    fc.assert(
      fc.property(terms, failures, (some, count) => {
        const now = backOffCeilingMs(some, count);
        expect(now).toBeGreaterThanOrEqual(some.firstMs);
        expect(now).toBeLessThanOrEqual(some.maxMs);
        expect(backOffCeilingMs(some, count + 1)).toBeGreaterThanOrEqual(now);
      }),
    );
  });

  it('is spread over the whole time up to its ceiling, so that clients do not return together', () => {
    fc.assert(
      fc.property(terms, failures, fc.double({ min: 0, max: 1, noNaN: true }), (some, count, drawn) => {
        expect(backOffMs(some, count, () => drawn)).toBe(drawn * backOffCeilingMs(some, count));
      }),
    );
  });
});

describe('an attempt that is repeated', () => {
  it('returns its first result, after the pauses that its failures were given', async () => {
    const paused: [unknown, number][] = [];
    let attempts = 0;
    const attempt = () => {
      attempts += 1;
      return attempts < 3 ? Promise.reject(new Error(`Failure ${attempts}`)) : Promise.resolve('done');
    };
    const pauseMs = (thrown: unknown, count: number) => paused.push([thrown, count]);
    expect(await retry(attempt, pauseMs)).toBe('done');
    expect(paused).toEqual([
      [new Error('Failure 1'), 1],
      [new Error('Failure 2'), 2],
    ]);
  });

  it('ends with what its pause throws', async () => {
    const givenUp = retry(
      () => Promise.reject(new Error('It fails.')),
      (thrown, count) => {
        if (count === 2) throw new Error('It failed twice.', { cause: thrown });
        return 0;
      },
    );
    await expect(givenUp).rejects.toThrow('It failed twice.');
  });
});

describe('a reconnection', () => {
  it('connects once for all failures of one pause, and not after it was disposed of', async () => {
    let connected = 0;
    const [first, last] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const reconnection = new Reconnection({ firstMs: 1, maxMs: 1 }, () => {
      connected += 1;
      first.resolve(undefined);
    });
    reconnection.failed();
    reconnection.failed();
    expect([reconnection.isWaiting, reconnection.failures]).toEqual([true, 1]);
    await first.promise;
    expect([reconnection.isWaiting, connected]).toEqual([false, 1]);
    reconnection.failed();
    reconnection[Symbol.dispose]();
    reconnection.failed();
    setTimeout(() => last.resolve(undefined), 20);
    await last.promise;
    expect(connected).toBe(1);
  });
});
