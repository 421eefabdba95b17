import { describe, expect, it } from '@jest/globals';
import { WorkShare } from '../../../src/platform/jobs/index.js';
import { fc } from '../../kit/properties.js';

describe('the time share of a kind of work', () => {
  it('is never exceeded by more than the burst, for any arrival times', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0.1, max: 3, noNaN: true }),
        (gaps, allowed) => {
          const share = new WorkShare(allowed, 1_000, 1_000);
          let now = 0;
          let worked = 0;
          for (const gap of gaps) {
            now += gap + 25;
            worked += 25;
            now += share.spend(25, now);
            expect(worked).toBeLessThanOrEqual(1_000 + now * allowed + 1e-6);
          }
        },
      ),
    );
  });

  it('limits the rest after an hour of work, and does not extend later rests', () => {
    const share = new WorkShare(1 / 2, 1_000, 2_000);
    const hour = 3_600_000;
    expect(share.spend(hour, hour)).toBe(2_000);
    expect(share.spend(hour, 2 * hour)).toBe(2_000);
    expect(share.spend(25, 2 * hour + 2_000 + 25)).toBe(25);
  });
});
