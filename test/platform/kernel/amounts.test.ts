import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { decimalAmount } from '../../../src/platform/kernel/amounts.js';

describe('a formatted amount', () => {
  it.each([
    ['0', 0, '0'],
    ['0', 2, '0.00'],
    ['5', 2, '0.05'],
    ['1234567', 2, '12,345.67'],
    ['1234567', 0, '1,234,567'],
    ['18446744073709551615', 9, '18,446,744,073.709551615'],
    ['1', 255, `0.${'0'.repeat(254)}1`],
  ])('shows %s base units with %i decimals as %s', (units, decimals, text) => {
    expect(decimalAmount(units, decimals)).toBe(text);
  });

  it('has exactly the digits of its base units, in groups of three before the point', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.integer({ min: 0, max: 20 }),
        (units, decimals) => {
          const text = decimalAmount(units.toString(), decimals);
          expect(text).toMatch(decimals === 0 ? /^\d{1,3}(,\d{3})*$/ : /^\d{1,3}(,\d{3})*\.\d+$/);
          expect(BigInt(text.replace(/[,.]/g, ''))).toBe(units);
          expect((text.split('.')[1] ?? '').length).toBe(decimals);
        },
      ),
    );
  });
});
