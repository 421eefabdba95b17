import { BUDGET, UNITS } from './field-source.ts';
import { MAX_PRODUCT } from './bounds.ts';
import {
  elementOf,
  inverse,
  invertPair,
  MONTGOMERY,
  multipleOfGenerator,
  multiplyPairs,
  P,
  powerOfPair,
  R,
  signedDigits,
  X,
  LIMB,
  LIMBS,
  type Pair,
} from './numbers.ts';

/** 9 + i, which is neither a square nor a cube: F_p12 = F_p²[w]/(w⁶ − ξ). */
const XI: Pair = [9n, 1n];
/** The eigenvalue of (x, y) → (βx, y): a cube root of one modulo r (Gallant, Lambert and Vanstone, CRYPTO 2001). */
const LAMBDA = 36n * X ** 3n + 18n * X ** 2n + 6n * X + 1n;

/** ξ^(i·(p^power − 1)/6), i from 0 to 5: the factors of the Frobenius map for the coefficients of w^i. */
const frobenius = (exponent: bigint): Pair[] =>
  Array.from({ length: 6 }, (_, at) => powerOfPair(XI, (BigInt(at) * (P ** exponent - 1n)) / 6n));

function endomorphism(): bigint {
  if ((LAMBDA * LAMBDA + LAMBDA + 1n) % R !== 0n) throw new Error('λ is no cube root of one.');
  // (1, 2) has order r, so what is true for it is true for all of G1.
  const [beta, y] = multipleOfGenerator(LAMBDA);
  if (y !== 2n || (beta * beta + beta + 1n) % P !== 0n) throw new Error('λ is not the eigenvalue.');
  return beta;
}

/** Elements of F_p², or the same element of F_p in both lanes. */
function elements(): Readonly<Record<string, readonly Pair[]>> {
  const both = (value: bigint): Pair => [value, value];
  // Both factors have limbs of all sizes. Only an exact fused multiply-add gives their product.
  const [left, right]: [Pair, Pair] = [
    [P - 12345n, 2n ** 200n + 77n],
    [2n ** 253n + 3n, P - 1n],
  ];
  return {
    ONE: [[1n, 0n]],
    ONES: [both(1n)],
    THREES: [both(3n)],
    GENERATOR: [[1n, 2n]],
    TO_MONTGOMERY: [both(MONTGOMERY)],
    OF_INVERSE: [both(MONTGOMERY ** 2n)],
    TWIST_B: [multiplyPairs([3n, 0n], invertPair(XI))],
    BETA: [both(endomorphism())],
    FROBENIUS_1: frobenius(1n),
    FROBENIUS_2: frobenius(2n),
    FROBENIUS_3: frobenius(3n),
    TEST_FACTORS: [left, right],
    TEST_PRODUCT: [multiplyPairs(left, right)],
  };
}

/**
 * The source of the module for the compiler. With `checked`, the kernel traces the multiples of all elements and traps at one
 * that is not proven.
 */
export function constantsSource(checked: boolean): string {
  const lines = [
    `export const CHECKED: bool = ${checked};`,
    `export const MAX_PRODUCT: i32 = ${MAX_PRODUCT};`,
    `export const BUDGET: i64 = ${BUDGET};`,
    `export const PRODUCT_UNITS: i64 = ${UNITS.product};`,
    `export const ADDEND_UNITS: i64 = ${UNITS.addend};`,
  ];
  const rows: string[] = [];
  for (const [name, values] of Object.entries(elements())) {
    lines.push(`export const ${name}: usize = ELEMENTS + ${80 * rows.length};`);
    for (const [low, high] of values) {
      const [a, b] = [elementOf(low), elementOf(high)];
      rows.push(`  ${a.map((limb, at) => `${limb}.0, ${b[at]!}.0,`).join(' ')}`);
    }
  }
  const integers = (bits: bigint, count: number) =>
    Array.from({ length: count }, (_, at) => (P >> (bits * BigInt(at))) & ((1n << bits) - 1n));
  const [loop, x] = [signedDigits(6n * X + 2n), signedDigits(X)].map((digits) => digits.slice(1)) as [
    number[],
    number[],
  ];
  return [
    `/** Elements of F_p², or the same of F_p twice, in Montgomery form. */`,
    `export const ELEMENTS: usize = memory.data<f64>([\n${rows.join('\n')}\n], 16);`,
    `export const ELEMENT_COUNT: i32 = ${rows.length};`,
    ...lines,
    `/** p in digits of 51 and of 30 bits. */`,
    `export const P51: usize = memory.data<i64>([${integers(BigInt(LIMB.toString(2).length - 1), LIMBS).join(', ')}], 16);`,
    `export const P30: usize = memory.data<i32>([${integers(30n, 9).join(', ')}], 16);`,
    `export const P_INVERSE_30: u32 = ${inverse(P, 1n << 30n)};`,
    `/** Signed digits of 6x + 2 and of x from the second on; the first is 1. */`,
    `export const LOOP: usize = memory.data<i8>([${loop.join(', ')}]);`,
    `export const LOOP_LENGTH: i32 = ${loop.length};`,
    `/** Doublings, additions, and the two at the end. */`,
    `export const STEPS: i32 = ${loop.length + loop.filter((digit) => digit !== 0).length + 2};`,
    `export const X_DIGITS: usize = memory.data<i8>([${x.join(', ')}]);`,
    `export const X_LENGTH: i32 = ${x.length};`,
  ].join('\n');
}
