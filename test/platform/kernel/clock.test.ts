import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { timestamp, timestampsOfSeconds } from '../../../src/platform/kernel/clock.js';

describe('time', () => {
  it('is written in UTC with milliseconds, and parses to the same instant', () => {
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (instant) => {
        expect(timestamp(instant)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(new Date(timestamp(instant))).toEqual(instant);
      }),
    );
  });

  it('is always written the same way in whole seconds', () => {
    const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });
    const near = fc.tuple(seconds, fc.integer({ min: -100_000, max: 100_000 }));
    fc.assert(
      fc.property(fc.array(near), (instants) => {
        const written = timestampsOfSeconds();
        for (const instant of instants.flatMap(([one, step]) => [one, one, one + step]))
          expect(written(instant)).toBe(timestamp(new Date(instant * 1000)));
      }),
    );
  });
});
