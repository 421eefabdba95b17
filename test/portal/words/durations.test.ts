import { describe, expect, it } from '@jest/globals';
import { inLanguage } from '../../kit/browser/portal-language.js';
import { fc } from '../../kit/properties.js';

const formatIn = (language: string) =>
  inLanguage<typeof import('../../../portal/src/format.ts')>(language, 'format.ts');

const UNITS = { d: 86_400, j: 86_400, h: 3_600, min: 60, s: 1 } as const;

/** Parses the seconds from the shown text, and the seconds of its last unit. */
function secondsOf(text: string): { readonly seconds: number; readonly precision: number } {
  const parts = [...text.matchAll(/(\d+) (min|[djhs])/g)].map(
    ([, count, unit]) => [Number(count), UNITS[unit as keyof typeof UNITS]] as const,
  );
  return {
    seconds: parts.reduce((sum, [count, unit]) => sum + count * unit, 0),
    precision: parts.at(-1)![1],
  };
}

describe('a duration', () => {
  it.each([
    [0, '0 min 00 s', '0 min 00 s'],
    [59.9, '0 min 59 s', '0 min 59 s'],
    [60, '1 min 00 s', '1 min 00 s'],
    [3_599, '59 min 59 s', '59 min 59 s'],
    [3_600, '1 h 00 min', '1 h 00 min'],
    [86_399, '23 h 59 min', '23 h 59 min'],
    [86_400, '1 d 0 h', '1 j 0 h'],
    [3_650 * 86_400 + 5 * 3_600, '3650 d 5 h', '3650 j 5 h'],
  ])('of %d seconds is %s, in French %s', async (seconds, english, french) => {
    expect((await formatIn('en-GB')).spanText(seconds)).toBe(english);
    expect((await formatIn('fr-FR')).spanText(seconds)).toBe(french);
  });

  it.each([
    [0, '0 s', '0 s'],
    [0.423, '0.42 s', '0,42 s'],
    [9.96, '10 s', '10 s'],
    [59.4, '59 s', '59 s'],
    [60, '1 min 00 s', '1 min 00 s'],
  ])('that was measured as %d seconds is %s, in French %s', async (seconds, english, french) => {
    expect((await formatIn('en-GB')).durationText(seconds)).toBe(english);
    expect((await formatIn('fr-FR')).durationText(seconds)).toBe(french);
  });

  it.each([
    [0, '< 1 min'],
    [59.9, '< 1 min'],
    [60, '1 min'],
    [3_599, '59 min'],
    [3_600, '1 h 00 min'],
  ])('that something has waited, of %d seconds, is %s', async (seconds, text) => {
    for (const language of ['en-GB', 'fr-FR']) expect((await formatIn(language)).ageText(seconds)).toBe(text);
  });

  it.each(['en-GB', 'fr-FR'])(
    'is never shown longer than it is, nor by a unit less, in %s',
    async (language) => {
      const { spanText } = await formatIn(language);
      fc.assert(
        fc.property(fc.double({ min: 0, max: 4_000 * 86_400, noNaN: true }), (seconds) => {
          const shown = secondsOf(spanText(seconds));
          expect(shown.seconds).toBeLessThanOrEqual(seconds);
          expect(shown.seconds + shown.precision).toBeGreaterThan(seconds);
        }),
      );
    },
  );
});
