// Multiples of points of G1, two points in two lanes. All points here have the prime order r, and are public. The digits are
// public, too, but attackers do not know them in advance.

import { BETA, ONES } from './constants';
import { CHECKED, multipleOf, requireMultiple, setMultiple } from './checked';
import { add, allocate, copy, isZeroLane, scale, scratch, subtract, takeHigh } from './element';
import { multiplyLanes, normalize, sumOf2Lanes } from './field';
import { invertAllLanes, invertLanes } from './inversion';

/** Length of a point in bytes, with one coordinate after the other in one lane: 2 × 5 limbs. */
const AFFINE: i32 = 80;
/** 1, 3, 5 and 7 times a point P, and the same for λ·P = (β·x, y) (Gallant, Lambert and Vanstone, CRYPTO 2001). */
export const TABLE: i32 = 8 * AFFINE;
/** Two points in Jacobian coordinates, (X/Z², Y/Z³) in each lane: X, Y, Z. */
export const JACOBIAN: i32 = 240;

/** For tables: the last multiple of each pair and the double of the point, as x and y; and the values to invert. */
let LAST: usize = 0, DOUBLE: usize = 0, DENOMINATORS: usize = 0, PRODUCTS: usize = 0;

export function reserveMultiples(points: i32): void {
  const pairs = (points + 1) >> 1;
  LAST = allocate(pairs * 160);
  DOUBLE = allocate(pairs * 160);
  DENOMINATORS = allocate(pairs * 80);
  PRODUCTS = allocate(pairs * 80);
}

function storeLane(to: usize, from: usize, lane: i32): void {
  if (CHECKED) requireMultiple(from, 1);
  for (let i: usize = 0; i < 5; i++) store<f64>(to + 8 * i, load<f64>(from + 16 * i + 8 * lane));
}

/** Converts two points, each an element with lanes (x, y), to two elements (x, x') and (y, y'). */
function transpose(out: usize, first: usize, second: usize): void {
  for (let k: usize = 0; k < 80; k += 16) {
    const a = v128.load(first + k), b = v128.load(second + k);
    v128.store(out + k, v128.shuffle<f64>(a, b, 0, 2));
    v128.store(out + 80 + k, v128.shuffle<f64>(a, b, 1, 3));
  }
  if (CHECKED) {
    setMultiple(out, max(multipleOf(first), multipleOf(second)));
    setMultiple(out + 80, multipleOf(out));
  }
}

/** Builds the tables of `count` points in the form of `readG1`. The order is odd, so no denominator is zero. */
export function makeTables(points: usize, count: i32, tables: usize): void {
  const pairs = (count + 1) >> 1;
  const slope = scratch(40), t = scratch(41), u = scratch(42);
  for (let i = 0; i < pairs; i++) {
    const first = points + 160 * i, x = LAST + i * 160, y = x + 80;
    transpose(x, first, 2 * i + 1 < count ? first + 80 : first);
    keep(tables, count, i, 0);
    scale(DENOMINATORS + i * 80, y, 2);
    normalize(DENOMINATORS + i * 80, DENOMINATORS + i * 80);
  }
  invertAllLanes(DENOMINATORS, pairs, PRODUCTS);
  for (let i = 0; i < pairs; i++) {
    const x = LAST + i * 160, double = DOUBLE + i * 160;
    multiplyLanes(t, x, x);
    scale(t, t, 3);
    multiplyLanes(slope, t, DENOMINATORS + i * 80);
    scale(u, x, 2);
    third(double, slope, x, u);
  }
  for (let multiple = 1; multiple < 4; multiple++) {
    for (let i = 0; i < pairs; i++) {
      subtract(t, DOUBLE + i * 160, LAST + i * 160);
      normalize(DENOMINATORS + i * 80, t);
    }
    invertAllLanes(DENOMINATORS, pairs, PRODUCTS);
    for (let i = 0; i < pairs; i++) {
      const x = LAST + i * 160, double = DOUBLE + i * 160;
      subtract(t, double + 80, x + 80);
      multiplyLanes(slope, t, DENOMINATORS + i * 80);
      add(u, x, double);
      third(x, slope, x, u);
      keep(tables, count, i, multiple);
    }
  }
}

/** The mirrored third point of the line with this slope through (x, y). `sum` is the sum of both points' x. */
function third(out: usize, slope: usize, x: usize, sum: usize): void {
  const t = scratch(43), v = scratch(44);
  multiplyLanes(t, slope, slope);
  subtract(t, t, sum);
  normalize(t, t);
  subtract(v, x, t);
  multiplyLanes(v, slope, v);
  subtract(v, v, x + 80);
  normalize(out + 80, v);
  copy(out, t);
}

function keep(tables: usize, count: i32, pair: i32, multiple: i32): void {
  const image = scratch(43), x = LAST + pair * 160, y = x + 80;
  multiplyLanes(image, x, BETA);
  for (let lane = 0; lane < 2 && 2 * pair + lane < count; lane++) {
    const entry = tables + (2 * pair + lane) * TABLE + multiple * AFFINE;
    storeLane(entry, x, lane);
    storeLane(entry + 40, y, lane);
    storeLane(entry + 4 * AFFINE, image, lane);
    storeLane(entry + 4 * AFFINE + 40, y, lane);
  }
}

/** The point to add next: x and y, for both lanes. */
const ADDEND: usize = memory.data(160, 16);

/** Reads two points, one for each lane. A sign of −2^63 negates a point. */
function gather(first: usize, signFirst: i64, second: usize, signSecond: i64): void {
  const sign = i64x2.replace_lane(i64x2.splat(signFirst), 1, signSecond);
  for (let i: usize = 0; i < 5; i++) {
    v128.store(ADDEND + 16 * i, v128.load_lane<u64>(second + 8 * i, v128.load_zero<u64>(first + 8 * i), 1));
    const y = v128.load_lane<u64>(second + 8 * i, v128.load_zero<u64>(first + 8 * i, 40), 1, 40);
    v128.store(ADDEND + 80 + 16 * i, v128.xor(sign, y));
  }
  if (CHECKED) {
    setMultiple(ADDEND, 1);
    setMultiple(ADDEND + 80, 1);
  }
}

/** The sign of the odd number 2e − 7 that an octal digit e represents. */
// @ts-ignore: decorator
@inline
function signOf(digit: u8): i64 {
  return digit < 4 ? i64.MIN_VALUE : 0;
}

/** The position of its absolute value in a table. */
// @ts-ignore: decorator
@inline
function entryOf(table: usize, digit: u8): usize {
  return table + <i32>(digit < 4 ? 3 - digit : digit - 4) * AFFINE;
}

function gatherDigits(first: usize, digit: u8, second: usize, secondDigit: u8): void {
  gather(entryOf(first, digit), signOf(digit), entryOf(second, secondDigit), signOf(secondDigit));
}

/** Initializes p with the gathered points. */
function begin(p: usize): void {
  copy(p, ADDEND);
  copy(p + 80, ADDEND + 80);
  copy(p + 160, ONES);
}

/**
 * Doubles both (Cohen, Miyaji and Ono, ASIACRYPT 1998, for a = 0): S = 4XY², M = 3X², X' = M² − 2S, Y' = M·(S − X') − 8Y⁴, Z' =
 * 2YZ.
 */
function double(p: usize): void {
  const X = p, Y = p + 80, Z = p + 160;
  const B = scratch(50), S = scratch(51), C = scratch(52), M = scratch(53), t = scratch(54), u = scratch(55);
  scale(t, Y, 2); multiplyLanes(Z, t, Z);
  multiplyLanes(B, Y, Y); scale(B, B, 2);
  scale(t, X, 2); multiplyLanes(S, t, B); multiplyLanes(C, B, B);
  multiplyLanes(M, X, X); scale(M, M, 3); normalize(M, M);
  multiplyLanes(t, M, M); scale(u, S, 2); subtract(t, t, u); normalize(X, t);
  subtract(t, S, X); multiplyLanes(t, M, t); scale(C, C, 2); subtract(t, t, C); normalize(Y, t);
}

/**
 * Adds the gathered points (the same paper, Z₂ = 1): H = x·Z² − X, r = y·Z³ − Y, X' = r² − H³ − 2XH², Y' = r·(XH² − X') − YH³,
 * Z' = ZH. The result is wrong if both points are the same; callers state why they are not. If they are opposite, Z' is zero,
 * which is correct.
 */
function addGathered(p: usize): void {
  const X = p, Y = p + 80, Z = p + 160, x = ADDEND, y = ADDEND + 80;
  const U = scratch(50), H = scratch(51), r = scratch(52), HH = scratch(53), HHH = scratch(54), V = scratch(55), t = scratch(56);
  multiplyLanes(t, Z, Z); multiplyLanes(U, x, t); subtract(H, U, X);
  multiplyLanes(U, y, Z); multiplyLanes(t, U, t); subtract(r, t, Y);
  multiplyLanes(HH, H, H); multiplyLanes(HHH, H, HH); multiplyLanes(V, X, HH); multiplyLanes(Z, Z, H);
  multiplyLanes(t, r, r); subtract(t, t, HHH); subtract(t, t, V); subtract(t, t, V); normalize(X, t);
  subtract(t, V, X); scale(HHH, HHH, -1);
  sumOf2Lanes(Y, r, t, Y, HHH);
}

/**
 * k·P for two points and numbers k = u + v·λ. u and v have `windows` octal digits each, the highest first, where a digit e
 * represents 2e − 7. For |u|, |v| < 2^66, no step meets an exception: the sum so far is a + b·λ times P, the addend is ±d or
 * ±d·λ with d < 8, and r has no multiple x + y·λ with 0 < |x| + |y| < 2^120. Both would be the same for a = ±d and b = 0, or
 * the reverse. But b is odd from the first digit of v on, and a is 8 times an odd number when an addend ±d is added, and odd
 * for ±d·λ.
 */
export function multiplyTwo(first: usize, digits: usize, second: usize, secondDigits: usize, windows: i32, p: usize): void {
  for (let k = 0; k < windows; k++) {
    if (k > 0) { double(p); double(p); double(p); }
    gatherDigits(first, load<u8>(digits + k), second, load<u8>(secondDigits + k));
    if (k == 0) begin(p);
    else addGathered(p);
    gatherDigits(first + 4 * AFFINE, load<u8>(digits + windows + k), second + 4 * AFFINE, load<u8>(secondDigits + windows + k));
    addGathered(p);
  }
}

/** Two secret random points; then, for both numbers of windows of `sumOf`, their multiples at its end, joined. */
const BLINDS: usize = memory.data(2 * 80, 16);
const UNBLINDS: usize = memory.data(2 * 80, 16);
const JOINED: usize = memory.data(2 * 80, 16);
const KEPT: usize = memory.data(JACOBIAN, 16);

/** Sets the points at `p` as the initial values of sums. Returns false (with probability 2^-250) if they cannot be used. */
export function takeBlinds(p: usize, windows: i32, otherWindows: i32): bool {
  if (!toAffine(p, BLINDS, BLINDS + 80)) return false;
  for (let i = 0; i < 2; i++) {
    gather(BLINDS, 0, BLINDS + 80, 0);
    begin(p);
    for (let k = 3 * ((i == 0 ? windows : otherWindows) - 1); k > 0; k--) double(p);
    if (!join(p) || !toAffine(p, UNBLINDS + 80 * i, JOINED)) return false;
  }
  return true;
}

/** Converts both lanes to affine points, one lane each. Returns false if one is the point at infinity. */
function toAffine(p: usize, first: usize, second: usize): bool {
  const t = scratch(45), u = scratch(46), x = scratch(47), y = scratch(48);
  normalize(t, p + 160);
  if (isZeroLane(t, 0) || isZeroLane(t, 1)) return false;
  invertLanes(t, t);
  multiplyLanes(u, t, t);
  multiplyLanes(x, p, u);
  multiplyLanes(u, u, t);
  multiplyLanes(y, p + 80, u);
  storeLane(first, x, 0); storeLane(first + 40, y, 0);
  storeLane(second, x, 1); storeLane(second + 40, y, 1);
  return true;
}

/** The sum of both lanes, in both lanes. Returns false if a lane or the sum is the point at infinity. */
function join(p: usize): bool {
  if (!toAffine(p, JOINED, JOINED + 80)) return false;
  gather(JOINED, 0, JOINED, 0);
  begin(p);
  gather(JOINED + 80, 0, JOINED + 80, 0);
  addGathered(p);
  return !isInfinite(p);
}

function isInfinite(p: usize): bool {
  const t = scratch(45);
  normalize(t, p + 160);
  return isZeroLane(t, 0);
}

/** The results of `sumOf`. */
export const FINITE: i32 = 1, INFINITE: i32 = 0, FAULT: i32 = -1;

/**
 * −Σ kᵢ·Pᵢ in both lanes, for tables at `addresses`, with shared doublings (Straus 1964). Digits are as in `multiplyTwo`. Lanes
 * begin with secret random points, so that for any choice of points a step meets an exception only with a probability of
 * 2^-130. If an exception is detected, the result is FAULT. `which` selects one of the two numbers of windows for which the
 * blinds were prepared.
 */
export function sumOf(addresses: usize, count: i32, digits: usize, windows: i32, which: i32, p: usize): i32 {
  gather(BLINDS, 0, BLINDS + 80, 0);
  begin(p);
  for (let k = 0; k < windows; k++) {
    if (k > 0) { double(p); double(p); double(p); }
    for (let i = 0; i < count; i += 2) {
      // The last point of an odd number is added to one lane. The other lane keeps its value.
      const alone = i + 1 == count, j = alone ? i : i + 1;
      const first: usize = load<u32>(addresses + 4 * i), second: usize = load<u32>(addresses + 4 * j);
      const a = digits + 2 * windows * i + k, b = digits + 2 * windows * j + k;
      if (alone) for (let c = 0; c < JACOBIAN; c += 80) copy(KEPT + c, p + c);
      gatherDigits(first, load<u8>(a), second, load<u8>(b));
      addGathered(p);
      gatherDigits(first + 4 * AFFINE, load<u8>(a + windows), second + 4 * AFFINE, load<u8>(b + windows));
      addGathered(p);
      if (alone) for (let c = 0; c < JACOBIAN; c += 80) takeHigh(p + c, KEPT + c);
    }
  }
  if (!join(p)) return FAULT;
  const unblind = UNBLINDS + 80 * which;
  gather(unblind, i64.MIN_VALUE, unblind, i64.MIN_VALUE);
  addGathered(p);
  scale(p + 80, p + 80, -1);
  return isInfinite(p) ? INFINITE : FINITE;
}
