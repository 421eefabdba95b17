import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { elapsedSeconds, isAnnounced, receivedNow, toneOf } from '../../../portal/src/design/time-left.ts';
import { fc } from '../../kit/properties.js';

const DAY = 86_400;

describe('the time left', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is counted by the clock that went further: one sleeps with the machine, the other can be set back', () => {
    const millisecond = fc.integer({ min: -(10 ** 12), max: 10 ** 12 });
    fc.assert(
      fc.property(millisecond, millisecond, (steady, wall) => {
        jest.spyOn(performance, 'now').mockReturnValue(5_000);
        jest.spyOn(Date, 'now').mockReturnValue(9_000);
        const received = receivedNow();
        jest.spyOn(performance, 'now').mockReturnValue(5_000 + steady);
        jest.spyOn(Date, 'now').mockReturnValue(9_000 + wall);
        expect(elapsedSeconds(received)).toBe(Math.max(steady, wall) / 1_000);
      }),
    );
  });

  it.each([
    ['good', DAY],
    ['warn', DAY - 1],
    ['warn', 3_600],
    ['bad', 3_599],
    ['bad', 1],
  ] as const)('is %s with %d seconds', (tone, left) => {
    expect(toneOf(left)).toBe(tone);
  });

  it.each([
    ['an hour', 3_601, 3_600, true],
    ['an hour, late', 3_630, 3_570, true],
    ['ten minutes', 601, 600, true],
    ['one minute', 61, 60, true],
    ['the end', 1, 0, true],
    ['the end, after a sleep', 7_200, 0, true],
    ['no time between', 3_600, 3_599, false],
    ['no minute of many hours', 90_000, 89_940, false],
    ['no longer time than before', 50, 5_000, false],
  ])('is said aloud at %s', (_, before, left, isSaid) => {
    expect(isAnnounced(before, left)).toBe(isSaid);
  });
});
