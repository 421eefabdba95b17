import { SCALAR_FIELD_ORDER } from '../proofs/groth16.js';

// The form of a number modulo r in which the kernel multiplies by it: u + v·λ with u and v odd, each as octal digits e that
// represent 2e − 7. Σ(2eⱼ − 7)·8^j = 2·Σeⱼ·8^j − (8^n − 1), so an odd u in (−8^n, 8^n) has the digits of (u + 8^n − 1)/2.

const X = 4965661367192848881n;
/** λ² + λ + 1 ≡ 0 (mod r), and λ·(x, y) = (β·x, y) on G1. */
const LAMBDA = 36n * X ** 3n + 18n * X ** 2n + 6n * X + 1n;
/** a − b·λ ≡ 0 and c + a·λ ≡ 0 (mod r), with a² + b·c = r: a short basis. */
const [A, B, C] = [2n * X + 1n, 6n * X ** 2n + 2n * X, 6n * X ** 2n + 4n * X + 1n];

/** Octal digits of each half of a weight: 66 random bits. */
export const WEIGHT_DIGITS = 22;
/** Octal digits of each half of any scalar. */
export const SCALAR_DIGITS = 43;

/** The number modulo r that two halves of digits represent. */
export function scalarOf(digits: Uint8Array): bigint {
  const half = digits.length / 2;
  return reduce(oddOf(digits.subarray(0, half)) + oddOf(digits.subarray(half)) * LAMBDA);
}

const MINUS_ONES = new Map([WEIGHT_DIGITS, SCALAR_DIGITS].map((count) => [count, 8n ** BigInt(count) - 1n]));

function oddOf(digits: Uint8Array): bigint {
  return 2n * BigInt(`0o${digits.join('')}`) - MINUS_ONES.get(digits.length)!;
}

/** Writes the digits of a number from 0 to r − 1 to both halves of `to`. */
export function writeScalar(scalar: bigint, to: Uint8Array): void {
  // Babai rounding: the remainder of the floors is in one cell of the lattice, so it is less than a + c.
  const [first, second] = [(scalar * A) / SCALAR_FIELD_ORDER, (scalar * B) / SCALAR_FIELD_ORDER];
  let u = scalar - first * A - second * C;
  let v = first * B - second * A;
  // a and c are odd, b is even.
  if (!(v & 1n)) [u, v] = [u + C, v + A];
  if (!(u & 1n)) [u, v] = [u + A, v - B];
  writeOdd(u, to.subarray(0, SCALAR_DIGITS));
  writeOdd(v, to.subarray(SCALAR_DIGITS));
}

function writeOdd(odd: bigint, to: Uint8Array): void {
  const minusOne = MINUS_ONES.get(SCALAR_DIGITS)!;
  const octal = ((odd + minusOne) >> 1n).toString(8).padStart(SCALAR_DIGITS, '0');
  if (odd < -minusOne || octal.length > SCALAR_DIGITS) throw new RangeError('No half of a scalar.');
  for (let at = 0; at < SCALAR_DIGITS; at += 1) to[at] = octal.charCodeAt(at) & 7;
}

const reduce = (value: bigint): bigint => {
  const rest = value % SCALAR_FIELD_ORDER;
  return rest < 0n ? rest + SCALAR_FIELD_ORDER : rest;
};
