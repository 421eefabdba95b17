import { describe, expect, it } from '@jest/globals';
import { backOffCeilingMs, backOffMs } from '../../../src/platform/jobs/index.js';
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
