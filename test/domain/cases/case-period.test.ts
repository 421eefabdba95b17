import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { parsePeriodFrom, parsePeriodTo } from '../../../src/domain/cases/requests/case-period.js';
import { secondsOfPeriod } from '../../../src/domain/cases/case-window.js';

const days = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

describe('the period of a case', () => {
  it('is any two days in order, and covers at least one whole day', () => {
    fc.assert(
      fc.property(days, days, (one, other) => {
        const [from, to] = [one, other].sort() as [string, string];
        expect([parsePeriodFrom(from, to), parsePeriodTo(to)]).toEqual([from, to]);
        const seconds = secondsOfPeriod(from, to);
        expect((seconds.until - seconds.from) % 86_400).toBe(0);
        expect(seconds.until - seconds.from).toBeGreaterThanOrEqual(86_400);
        if (from !== to) expect(() => parsePeriodFrom(to, from)).toThrow(/^periodFrom must not be after/);
      }),
    );
  });

  it('is refused in any other form', () => {
    const numbers = fc.tuple(fc.nat(99_999), fc.nat(99), fc.nat(99));
    const almost = numbers.map(([year, month, day]) =>
      [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-'),
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string(), almost), (value) => {
        let parsed: string | undefined;
        try {
          parsed = parsePeriodFrom(value, '9999-12-31');
        } catch (thrown) {
          expect(thrown).toMatchObject({
            code: 'BAD_USER_INPUT',
            message: expect.stringMatching(/^periodFrom/),
          });
          return;
        }
        expect(parsed).toBe(value);
        expect(new Date(`${parsed}T00:00:00Z`).toISOString()).toBe(`${parsed}T00:00:00.000Z`);
      }),
    );
  });
});
