// Inversion with the division steps of Bernstein and Yang (ePrint 2019/266), thirty at a time on integers of thirty bits, in
// variable time, as in libsecp256k1 (doc/safegcd_implementation.md, sections 1 to 6). All inverted values here are public.

import { OF_INVERSE, P30, P51, P_INVERSE_30 } from './constants';
import { CHECKED, requireMultiple, setMultiple } from './checked';
import { add, conjugate, copy, scratch, swap } from './element';
import { multiply, multiplyLanes, normalize } from './field';

const MASK_30: i64 = 0x3fffffff, MASK_51: i64 = 0x7ffffffffffff;
/** f is initially p, and g is the number to invert; d and e have d·a ≡ f and e·a ≡ g (mod p). */
const F: usize = memory.data(36, 16), G: usize = memory.data(36, 16);
const D: usize = memory.data(36, 16), E: usize = memory.data(36, 16);
/** The transition matrix of thirty steps, times 2^30: (u, v; q, r). */
let u: i64 = 0, v: i64 = 0, q: i64 = 0, r: i64 = 0;
const DIGITS: usize = memory.data(48, 16);

/** The integer in the low lane of a reduced element, from 0 to p − 1, in digits of 51 bits. */
function toDigits(a: usize): void {
  if (CHECKED) requireMultiple(a, 1);
  let carry: i64 = 0;
  for (let i = 0; i < 5; i++) {
    const digit = <i64>load<f64>(a + i * 16) + carry;
    carry = i < 4 ? digit >> 51 : 0;
    store<i64>(DIGITS + i * 8, i < 4 ? digit & MASK_51 : digit);
  }
  store<i64>(DIGITS + 40, 0);
  if (load<i64>(DIGITS + 32) >= 0) return;
  for (let i = 0; i < 5; i++) {
    const digit = load<i64>(DIGITS + i * 8) + load<i64>(P51 + i * 8) + carry;
    carry = digit >> 51;
    store<i64>(DIGITS + i * 8, i < 4 ? digit & MASK_51 : digit);
  }
}

/** Initializes f = p, g = a, d = 0, e = 1. */
function begin(): void {
  for (let i = 0; i < 9; i++) {
    const position = 30 * i, at = position / 51, offset = position % 51;
    let digit = load<i64>(DIGITS + at * 8) >> offset;
    if (offset + 30 > 51) digit |= load<i64>(DIGITS + (at + 1) * 8) << (51 - offset);
    store<i32>(G + i * 4, <i32>(digit & MASK_30));
    store<i32>(F + i * 4, load<i32>(P30 + i * 4));
    store<i32>(D + i * 4, 0);
    store<i32>(E + i * 4, i == 0 ? 1 : 0);
  }
}

/** Thirty steps on the lowest digits of f and g. Returns eta = −delta. */
function steps(eta: i32): i32 {
  let a: u32 = 1, b: u32 = 0, c: u32 = 0, d: u32 = 1, f = load<u32>(F), g = load<u32>(G), left = 30;
  while (true) {
    const zeros = <i32>ctz<u32>(g | (0xffffffff << left));
    g >>= zeros; a <<= zeros; b <<= zeros; eta -= zeros; left -= zeros;
    if (left == 0) break;
    if (eta < 0) {
      eta = -eta;
      let t = f; f = g; g = 0 - t;
      t = a; a = c; c = 0 - t;
      t = b; b = d; d = 0 - t;
    }
    // Clears up to six low bits of g at once with a multiple of f.
    const limit = eta + 1 > left ? left : eta + 1;
    const mask: u32 = (0xffffffff >> (32 - limit)) & 63;
    const multiple = (f * g * (f * f - 2)) & mask;
    g += f * multiple; c += a * multiple; d += b * multiple;
  }
  u = <i64><i32>a; v = <i64><i32>b; q = <i64><i32>c; r = <i64><i32>d;
  return eta;
}

/** Applies the transition to (d, e), modulo p and divided by 2^30. Both stay within (−2p, p). */
function updateDE(): void {
  const signD = load<i32>(D + 32) >> 31, signE = load<i32>(E + 32) >> 31;
  let multipleD = (<i32>u & signD) + (<i32>v & signE), multipleE = (<i32>q & signD) + (<i32>r & signE);
  let d: i64 = load<i32>(D), e: i64 = load<i32>(E);
  let carryD = u * d + v * e, carryE = q * d + r * e;
  multipleD -= <i32>((P_INVERSE_30 * <u32>carryD + <u32>multipleD) & 0x3fffffff);
  multipleE -= <i32>((P_INVERSE_30 * <u32>carryE + <u32>multipleE) & 0x3fffffff);
  carryD += <i64>load<i32>(P30) * <i64>multipleD;
  carryE += <i64>load<i32>(P30) * <i64>multipleE;
  carryD >>= 30; carryE >>= 30;
  for (let k: usize = 4; k < 36; k += 4) {
    d = load<i32>(D + k); e = load<i32>(E + k);
    const modulus: i64 = load<i32>(P30 + k);
    carryD += u * d + v * e + modulus * <i64>multipleD;
    carryE += q * d + r * e + modulus * <i64>multipleE;
    store<i32>(D + k - 4, <i32>(carryD & MASK_30)); carryD >>= 30;
    store<i32>(E + k - 4, <i32>(carryE & MASK_30)); carryE >>= 30;
  }
  store<i32>(D + 32, <i32>carryD);
  store<i32>(E + 32, <i32>carryE);
}

/** Applies the transition to (f, g) and divides by 2^30, exactly. */
function updateFG(length: i32): void {
  let f: i64 = load<i32>(F), g: i64 = load<i32>(G);
  let carryF = (u * f + v * g) >> 30, carryG = (q * f + r * g) >> 30;
  for (let k = 1; k < length; k++) {
    f = load<i32>(F + 4 * k); g = load<i32>(G + 4 * k);
    carryF += u * f + v * g; carryG += q * f + r * g;
    store<i32>(F + 4 * k - 4, <i32>(carryF & MASK_30)); carryF >>= 30;
    store<i32>(G + 4 * k - 4, <i32>(carryG & MASK_30)); carryG >>= 30;
  }
  store<i32>(F + 4 * length - 4, <i32>carryF);
  store<i32>(G + 4 * length - 4, <i32>carryG);
}

/** Removes one digit if the highest digits of f and g only repeat the sign. */
function shorten(length: i32): i32 {
  const f = load<i32>(F + 4 * length - 4), g = load<i32>(G + 4 * length - 4);
  if (length < 2 || (f ^ (f >> 31)) != 0 || (g ^ (g >> 31)) != 0) return length;
  store<i32>(F + 4 * length - 8, load<i32>(F + 4 * length - 8) | (f << 30));
  store<i32>(G + 4 * length - 8, load<i32>(G + 4 * length - 8) | (g << 30));
  return length - 1;
}

/** d, times the sign of f (which is 1 or −1 at the end), as limbs in both lanes. */
function fromD(out: usize, sign: f64): void {
  for (let i = 0; i < 6; i++) store<i64>(DIGITS + i * 8, 0);
  for (let i = 0; i < 9; i++) {
    const position = 30 * i, at = DIGITS + (position / 51) * 8, offset = position % 51;
    const digit: i64 = load<i32>(D + 4 * i);
    if (offset + 30 <= 51 || i == 8) store<i64>(at, load<i64>(at) + (digit << offset));
    else {
      const low = 51 - offset;
      store<i64>(at, load<i64>(at) + ((digit & ((1 << <i64>low) - 1)) << offset));
      store<i64>(at, load<i64>(at, 8) + (digit >> low), 8);
    }
  }
  for (let i = 0; i < 5; i++) v128.store(out + i * 16, f64x2.splat(sign * <f64>load<i64>(DIGITS + i * 8)));
  // The limbs are below 2^51, and the value is within 2p.
  if (CHECKED) setMultiple(out, 5);
  normalize(out, out);
}

/** Inverts the reduced element of F_p in the low lane, and writes the inverse to both lanes. Zero gives zero. */
function invertLow(out: usize, a: usize): void {
  toDigits(a);
  begin();
  let eta: i32 = -1, length = 9;
  while (true) {
    eta = steps(eta);
    updateDE();
    updateFG(length);
    let any: i32 = 0;
    for (let k = 0; k < length; k++) any |= load<i32>(G + 4 * k);
    if (any == 0) break;
    length = shorten(length);
  }
  fromD(out, load<i32>(F + 4 * length - 4) < 0 ? -1 : 1);
  // This is (a·R)⁻¹, but a⁻¹·R is needed.
  multiplyLanes(out, out, OF_INVERSE);
}

const I0: usize = memory.data(80, 16), I1: usize = memory.data(80, 16);

/** Inverts both lanes, with the inverse of their product. Neither may be zero. */
export function invertLanes(out: usize, a: usize): void {
  swap(I0, a);
  multiplyLanes(I1, a, I0);
  invertLow(I1, I1);
  multiplyLanes(out, I0, I1);
}

/** In F_p²: (a0 − a1·i)/(a0² + a1²). Zero gives zero. */
export function invert(out: usize, a: usize): void {
  multiplyLanes(I0, a, a);
  swap(I1, I0);
  add(I0, I0, I1);
  normalize(I0, I0);
  invertLow(I1, I0);
  conjugate(I0, a);
  multiplyLanes(out, I0, I1);
}

/** Inverts a list in place with one inversion (Montgomery 1987, section 10.3.1). No element may be zero. */
export function invertAll(list: usize, count: i32, products: usize): void {
  copy(products, list);
  for (let i = 1; i < count; i++) multiply(products + i * 80, products + (i - 1) * 80, list + i * 80);
  const rest = scratch(0), one = scratch(1);
  invert(rest, products + (count - 1) * 80);
  for (let i = count - 1; i > 0; i--) {
    multiply(one, rest, products + (i - 1) * 80);
    multiply(rest, rest, list + i * 80);
    copy(list + i * 80, one);
  }
  copy(list, rest);
}

/** Like `invertAll`, lane by lane. */
export function invertAllLanes(list: usize, count: i32, products: usize): void {
  copy(products, list);
  for (let i = 1; i < count; i++) multiplyLanes(products + i * 80, products + (i - 1) * 80, list + i * 80);
  const rest = scratch(0), one = scratch(1);
  invertLanes(rest, products + (count - 1) * 80);
  for (let i = count - 1; i > 0; i--) {
    multiplyLanes(one, rest, products + (i - 1) * 80);
    multiplyLanes(rest, rest, list + i * 80);
    copy(list + i * 80, one);
  }
  copy(list, rest);
}
