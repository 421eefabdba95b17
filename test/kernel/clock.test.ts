import { describe, expect, it } from '@jest/globals';
import { fc } from '../kit/properties.js';
import { timestamp } from '../../src/kernel/clock.js';

describe('time', () => {
  it('is written in UTC with milliseconds, and reads as the same instant', () => {
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (instant) => {
        expect(timestamp(instant)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(new Date(timestamp(instant))).toEqual(instant);
      }),
    );
  });
});
