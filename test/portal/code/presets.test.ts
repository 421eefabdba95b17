import { describe, expect, it } from '@jest/globals';
import { presets } from '../../../portal/src/screens/requests/presets.ts';
import { fc } from '../../kit/properties.js';

const DAY_MS = 86_400_000;
const next = (day: string) => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);

describe('a period to choose', () => {
  it.each([
    ['lastMonth', '2026-01-01T00:00:00Z', '2025-12-01', '2025-12-31'],
    ['lastMonth', '2026-03-31T23:59:59Z', '2026-02-01', '2026-02-28'],
    ['lastMonth', '2028-03-01T00:00:00Z', '2028-02-01', '2028-02-29'],
    ['lastMonth', '2100-03-15T12:00:00Z', '2100-02-01', '2100-02-28'],
    ['lastMonth', '2026-12-31T23:59:59Z', '2026-11-01', '2026-11-30'],
    ['lastQuarter', '2026-01-01T00:00:00Z', '2025-10-01', '2025-12-31'],
    ['lastQuarter', '2026-03-31T23:59:59Z', '2025-10-01', '2025-12-31'],
    ['lastQuarter', '2028-04-01T00:00:00Z', '2028-01-01', '2028-03-31'],
    ['lastQuarter', '2026-12-31T12:00:00Z', '2026-07-01', '2026-09-30'],
    ['thisMonth', '2026-01-01T00:00:00Z', '2026-01-01', '2026-01-01'],
    ['thisMonth', '2028-02-29T23:59:59Z', '2028-02-01', '2028-02-29'],
    ['last30Days', '2028-03-01T00:00:00Z', '2028-02-01', '2028-03-01'],
    ['last30Days', '2026-01-15T12:00:00Z', '2025-12-17', '2026-01-15'],
  ] as const)('%s on %s is from %s to %s', (preset, now, first, last) => {
    expect(presets[preset](new Date(now))).toEqual([first, last]);
  });

  it('of months is whole, and ends the day before the month or quarter of today', () => {
    const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2200-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(day, (now) => {
        const month = now.toISOString().slice(0, 8);
        const [monthFirst, monthLast] = presets.lastMonth(now);
        expect([monthFirst.slice(8), next(monthLast)]).toEqual(['01', `${month}01`]);
        expect(monthLast.slice(0, 8)).toBe(monthFirst.slice(0, 8));
        const [quarterFirst, quarterLast] = presets.lastQuarter(now);
        expect(quarterFirst).toMatch(/-(01|04|07|10)-01$/);
        expect(next(quarterLast)).toMatch(/-(01|04|07|10)-01$/);
        const days = (Date.parse(quarterLast) - Date.parse(quarterFirst)) / DAY_MS + 1;
        expect([90, 91, 92]).toContain(days);
        expect(Date.parse(next(quarterLast))).toBeLessThanOrEqual(now.getTime());
        expect(now.getTime() - Date.parse(next(quarterLast))).toBeLessThan(92 * DAY_MS);
      }),
    );
  });
});
