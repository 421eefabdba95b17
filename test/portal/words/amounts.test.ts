import { describe, expect, it } from '@jest/globals';
import { inLanguage } from '../../kit/browser/portal-language.js';
import { fc } from '../../kit/properties.js';

const formatIn = (language: string) =>
  inLanguage<typeof import('../../../portal/src/format.ts')>(language, 'format.ts');

/** Parses base units from the shown text. */
function baseUnitsOf(text: string, decimals: number): bigint {
  const digits = text.replaceAll(/[\s\u00a0\u202f,.'’]/g, '');
  expect(digits).toMatch(/^\d+$/);
  const fraction = /[.,](\d*)$/.exec(text)?.[1] ?? '';
  expect(decimals === 0 ? 0 : fraction.length).toBe(decimals);
  return BigInt(digits);
}

const decimals = fc.oneof(fc.integer({ min: 0, max: 18 }), fc.integer({ min: 0, max: 255 }));
const baseUnits = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 0n, max: 10n ** 60n }),
);

describe('an amount', () => {
  it.each(['en-GB', 'en-US', 'fr-FR', 'fr-CH'])('is exact in %s, to the last base unit', async (language) => {
    const { amountText } = await formatIn(language);
    fc.assert(
      fc.property(baseUnits, decimals, (units, places) => {
        expect(baseUnitsOf(amountText(String(units), places), places)).toBe(units);
      }),
    );
  });

  it.each(['en-GB', 'fr-FR'])('has a different text for each base unit in %s', async (language) => {
    const { amountText } = await formatIn(language);
    fc.assert(
      fc.property(baseUnits, decimals, (units, places) => {
        expect(amountText(String(units + 1n), places)).not.toBe(amountText(String(units), places));
      }),
    );
  });

  it('is formatted for the language', async () => {
    const english = await formatIn('en-GB');
    expect(english.amountText('1234567890', 6)).toBe('1,234.567890');
    expect(english.amountText('7', 6)).toBe('0.000007');
    expect(english.amountText('1234', 0)).toBe('1,234');
    const french = await formatIn('fr-FR');
    expect(french.amountText('1234567890', 6)).toBe('1\u202f234,567890');
  });
});
