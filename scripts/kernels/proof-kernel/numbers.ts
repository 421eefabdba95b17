// alt_bn128 (EIP-196, EIP-197) in numbers, and how the proof kernel represents an element of F_p: docs/proof-kernel.md.

/** The modulus p of the base field, the order r of the groups, and x: p and r are polynomials in it (ePrint 2005/133). */
export const X = 4965661367192848881n;
export const P = 36n * X ** 4n + 36n * X ** 3n + 24n * X ** 2n + 6n * X + 1n;
export const R = P - 6n * X ** 2n;

/** An element has five signed limbs of 51 bits. */
export const LIMB_BITS = 51n;
export const LIMB = 1n << LIMB_BITS;
export const LIMBS = 5;
/** Elements are stored as v·2^255 modulo p (Montgomery 1985). */
export const MONTGOMERY = 1n << (LIMB_BITS * BigInt(LIMBS));

const mod = (value: bigint, modulus: bigint): bigint => ((value % modulus) + modulus) % modulus;

export const abs = (value: bigint): bigint => (value < 0n ? -value : value);

/** The inverse of a unit, for any modulus. */
export function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, u, v] = [mod(value, modulus), modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b] = [b - quotient * a, a];
    [u, v] = [v - quotient * u, u];
  }
  return mod(u, modulus);
}

/** The remainder in [−modulus/2, modulus/2), for an even modulus. */
export function balanced(value: bigint, modulus: bigint): bigint {
  const rest = mod(value, modulus);
  return rest >= modulus / 2n ? rest - modulus : rest;
}

/** Limbs in [−2^50, 2^50), except for the last one, which has the remainder. */
export function limbsOf(value: bigint): bigint[] {
  const limbs: bigint[] = [];
  for (let at = 1; at < LIMBS; at += 1) {
    const limb = balanced(value, LIMB);
    limbs.push(limb);
    value = (value - limb) / LIMB;
  }
  return [...limbs, value];
}

/** The limbs of a number modulo p in Montgomery form, nearest to zero. */
export function elementOf(value: bigint): bigint[] {
  const form = mod(value * MONTGOMERY, P);
  return limbsOf(form > P / 2n ? form - P : form);
}

/** The 64 bits of a double. Throws if the number is not exactly a double. */
export function doubleBits(value: number | bigint): bigint {
  const double = Number(value);
  if (typeof value === 'bigint' && BigInt(double) !== value) throw new Error(`${value} is no double.`);
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  return view.getBigUint64(0);
}

/** Digits −1, 0, 1, without two adjacent non-zero digits, the highest first. */
export function signedDigits(value: bigint): number[] {
  const digits: number[] = [];
  for (; value > 0n; value >>= 1n) {
    const digit = value & 1n ? 2n - (value & 3n) : 0n;
    digits.push(Number(digit));
    value -= digit;
  }
  return digits.reverse();
}

/** An element of F_p² = F_p[i]/(i² + 1). */
export type Pair = readonly [bigint, bigint];

export const multiplyPairs = ([a0, a1]: Pair, [b0, b1]: Pair): Pair => [
  mod(a0 * b0 - a1 * b1, P),
  mod(a0 * b1 + a1 * b0, P),
];

export function powerOfPair(base: Pair, exponent: bigint): Pair {
  let result: Pair = [1n, 0n];
  for (let factor = base; exponent > 0n; exponent >>= 1n, factor = multiplyPairs(factor, factor))
    if (exponent & 1n) result = multiplyPairs(result, factor);
  return result;
}

export function invertPair([a0, a1]: Pair): Pair {
  const norm = inverse(a0 * a0 + a1 * a1, P);
  return [mod(a0 * norm, P), mod(-a1 * norm, P)];
}

/** k·(1, 2) on y² = x³ + 3 over F_p, for a k that is neither 0 nor ±1 modulo r. */
export function multipleOfGenerator(k: bigint): Pair {
  let [x, y] = [1n, 2n];
  for (const bit of k.toString(2).slice(1)) {
    [x, y] = third(x, y, x, y, mod(3n * x * x * inverse(2n * y, P), P));
    if (bit === '1') [x, y] = third(x, y, 1n, 2n, mod((y - 2n) * inverse(x - 1n, P), P));
  }
  return [x, y];
}

/** The mirrored third point of the line with this slope through two points. */
function third(x1: bigint, y1: bigint, x2: bigint, y2: bigint, slope: bigint): Pair {
  const x = mod(slope * slope - x1 - x2, P);
  return [x, mod(slope * (x1 - x) - y1, P)];
}
