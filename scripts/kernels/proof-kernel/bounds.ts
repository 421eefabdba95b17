import { abs, LIMB, LIMB_BITS, LIMBS, MONTGOMERY, P } from './numbers.ts';

// The proven bounds of the limbs and values of elements. docs/proof-kernel.md explains the proof. Its numeric part is computed
// here with exact integers, and no source is written if it fails.

export function prove(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Not proven: ${what}`);
}

/** Every result is within (1/2 + 2^-30)·p of zero, expressed in multiples of 2^-30·p. */
export const UNIT = 1n << 30n;
export const HALF = UNIT / 2n + 1n;
/** The smallest whole number that bounds a value of this many units of p. */
export const valueOf = (units: bigint): bigint => (units * P) / UNIT + 1n;

/** A limb of an element is at most 2^50. */
export const MAX_LIMB = LIMB / 2n;
/** The last limb is smaller: the last limb of a value within HALF whose other limbs are at most 2^50. */
export const MAX_TOP = (() => {
  let rest = 0n;
  for (let at = 0n; at < BigInt(LIMBS) - 1n; at += 1n) rest += MAX_LIMB << (LIMB_BITS * at);
  return (valueOf(HALF) + rest) / (1n << (LIMB_BITS * BigInt(LIMBS - 1))) + 1n;
})();

/** The bound of a limb of an element. A sum of m elements has limbs of at most m times that: its multiple is m. */
export const limbBound = (at: number): bigint => (at < LIMBS - 1 ? MAX_LIMB : MAX_TOP);

/** Maximum of m·n for two factors of multiples m and n. */
export const MAX_PRODUCT = 4n;
/** Maximum multiple of an input of `normalize`. */
export const MAX_MULTIPLE = 7n;

/** Maximum quotient, so that q times a limb of p is below 2^51. */
export const MAX_QUOTIENT = 2n;

/** In units: what one product of two elements in F_p adds to the reduced sum. */
export const PRODUCT_UNITS = (valueOf(HALF) ** 2n * UNIT) / MONTGOMERY / P + 1n;
export const ADDEND_UNITS = HALF;
/** In units: the maximum that clearing the low half adds. Four digits times k·p, and one times p, each at most 2^50. */
export const clearingUnits = (k: bigint): bigint => {
  let sum = MAX_LIMB << (LIMB_BITS * 4n);
  for (let at = 0n; at < 4n; at += 1n) sum += (MAX_LIMB * abs(k)) << (LIMB_BITS * at);
  return (sum * UNIT) / MONTGOMERY + 1n;
};

/** Doubles represent every integer up to this value. */
export const EXACT = 1n << 53n;
