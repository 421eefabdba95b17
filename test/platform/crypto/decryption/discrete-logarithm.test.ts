import { describe, expect, it } from '@jest/globals';
import { ED25519_TORSION_SUBGROUP, ed25519, ristretto255 } from '@noble/curves/ed25519.js';
import { fc } from '../../../kit/properties.js';
import { createDiscreteLogarithm } from '../../../../src/platform/crypto/decryption/discrete-logarithm.js';

const Point = ristretto255.Point;
const multipleOfG = (value: bigint) => Point.BASE.multiplyUnsafe(value);

// Few baby steps make the stages long, and fingerprints collide often.
const small = createDiscreteLogarithm(2 ** 6);
const usual = createDiscreteLogarithm();

describe('a discrete logarithm', () => {
  it('is found for every value below 2^11', () => {
    let point = Point.ZERO;
    for (let value = 0n; value < 2n ** 11n; value += 1n) {
      expect(small.solve(point, 11)).toBe(value);
      point = point.add(Point.BASE);
    }
    expect(small.solve(point, 11)).toBeUndefined();
  });

  it('is found for any value of any width, and for none beyond', () => {
    const search = fc
      .integer({ min: 1, max: 18 })
      .chain((bits) => fc.tuple(fc.constant(bits), fc.bigInt({ min: 0n, max: 2n ** 18n })));
    fc.assert(
      fc.property(search, ([bits, value]) => {
        expect(small.solve(multipleOfG(value), bits)).toBe(value < 2n ** BigInt(bits) ? value : undefined);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    0n,
    1n,
    65_535n,
    65_536n,
    2n ** 17n - 1n,
    2n ** 17n,
    2n ** 24n - 1n,
    2n ** 24n,
    2n ** 28n,
    2n ** 31n - 1n,
    2n ** 31n,
    2n ** 31n + 1n,
    2n ** 32n - 1n,
  ])('is found at the edge of 32 bits: %s', (value) => {
    expect(usual.solve(multipleOfG(value), 32)).toBe(value);
  });

  it('is found for any value of 32 bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), (value) => {
        expect(usual.solve(multipleOfG(value), 32)).toBe(value);
      }),
      { numRuns: 40 },
    );
  });

  it('is not found for 2^32, for negative values, or for a point of unknown logarithm', () => {
    expect(usual.solve(multipleOfG(2n ** 32n), 32)).toBeUndefined();
    expect(usual.solve(multipleOfG(1n).negate(), 32)).toBeUndefined();
    expect(usual.solve(multipleOfG(2n ** 31n).negate(), 32)).toBeUndefined();
    expect(usual.solve(multipleOfG(Point.Fn.ORDER / 3n), 32)).toBeUndefined();
  });

  it('is the same for every Edwards point that represents the same ristretto point', () => {
    for (const value of [0n, 5n, 1000n, 70_000n]) {
      const edwards = ed25519.Point.BASE.multiplyUnsafe(value);
      // The even entries of the 8-torsion are the 4-torsion, which ristretto255 divides out.
      for (const encoding of ED25519_TORSION_SUBGROUP.filter((_, index) => index % 2 === 0)) {
        const equal = edwards.add(ed25519.Point.fromHex(encoding));
        expect(small.solve(Point.fromAffine(equal.toAffine()), 17)).toBe(value);
      }
    }
  });

  it('does not depend on the number of baby steps', () => {
    for (const babySteps of [2 ** 4, 100, 511, 512, 513, 1535]) {
      const logarithm = createDiscreteLogarithm(babySteps);
      for (const value of [0, 1, babySteps - 1, babySteps, 2 * babySteps, 9999, 2 ** 14 - 1].map(BigInt)) {
        expect(logarithm.solve(multipleOfG(value), 14)).toBe(value < 2n ** 14n ? value : undefined);
      }
    }
  });

  it('is refused outside of 1 to 32 bits or 2^4 to 2^18 baby steps', () => {
    expect(() => small.solve(Point.ZERO, 0)).toThrow(RangeError);
    expect(() => small.solve(Point.ZERO, 33)).toThrow(RangeError);
    expect(() => createDiscreteLogarithm(8)).toThrow(RangeError);
    expect(() => createDiscreteLogarithm(2 ** 19)).toThrow(RangeError);
  });
});
