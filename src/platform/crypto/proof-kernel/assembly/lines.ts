// The Miller loop of the optimal ate pairing (ePrint 2008/096) for points of the twist: the line of each step in affine
// coordinates, with one inversion for all points (Lauter, Montgomery and Naehrig, ePrint 2010/354). Lines depend only on the
// point of G2, and are kept for all products of pairings with this point.

import { FROBENIUS_1, FROBENIUS_2, LOOP, LOOP_LENGTH, ONE, STEPS } from './constants';
import { add, allocate, conjugate, copy, isZero, scale, scratch, subtract } from './element';
import { multiply, normalize, square } from './field';
import { invertAll } from './inversion';

/** Length of a point in bytes: x and y. */
export const POINT_OF_TWIST: i32 = 160;
/** Length of the lines of a point in bytes: for each step, the slope λ and λ·x − y. */
export const LINES: i32 = STEPS * 160;

/** The current multiple of each point, the points to add, and the values to invert. */
let WAY: usize = 0, ADDENDS: usize = 0, DENOMINATORS: usize = 0, PRODUCTS: usize = 0;

export function reserveLines(points: i32): void {
  WAY = allocate(points * 160);
  ADDENDS = allocate(points * 160);
  DENOMINATORS = allocate(points * 80);
  PRODUCTS = allocate(points * 80);
}

/** Inverts the denominators. None is zero in the subgroup: the point would be refused, and the others continue. */
function invertDenominators(count: i32, valid: usize): void {
  for (let i = 0; i < count; i++) {
    const denominator = DENOMINATORS + i * 80;
    normalize(denominator, denominator);
    if (isZero(denominator)) {
      store<u8>(valid + i, 0);
      copy(denominator, ONE);
    }
  }
  invertAll(DENOMINATORS, count, PRODUCTS);
}

/** Doubles every point: λ = 3x²/2y. */
function doubleAll(count: i32, step: usize, valid: usize): void {
  for (let i = 0; i < count; i++) scale(DENOMINATORS + i * 80, WAY + i * 160 + 80, 2);
  invertDenominators(count, valid);
  const t = scratch(5), other = scratch(6);
  for (let i = 0; i < count; i++) {
    const x = WAY + i * 160, slope = step + i * LINES;
    square(t, x);
    scale(t, t, 3);
    multiply(slope, t, DENOMINATORS + i * 80);
    scale(other, x, 2);
    follow(slope, x, other);
  }
}

/** Adds its addend to every point: λ = (y − y')/(x − x'). */
function addAll(count: i32, step: usize, valid: usize): void {
  for (let i = 0; i < count; i++) subtract(DENOMINATORS + i * 80, WAY + i * 160, ADDENDS + i * 160);
  invertDenominators(count, valid);
  const t = scratch(5), other = scratch(6);
  for (let i = 0; i < count; i++) {
    const x = WAY + i * 160, addend = ADDENDS + i * 160, slope = step + i * LINES;
    subtract(t, x + 80, addend + 80);
    multiply(slope, t, DENOMINATORS + i * 80);
    add(other, x, addend);
    follow(slope, x, other);
  }
}

/** Stores λ·x − y after the slope, and moves (x, y) to the mirrored third point of the line: λ² − `sum`, λ·(x − x₃) − y. */
function follow(slope: usize, x: usize, sum: usize): void {
  const y = x + 80, rest = slope + 80, third = scratch(7), t = scratch(8);
  multiply(t, slope, x);
  subtract(rest, t, y);
  normalize(rest, rest);
  square(third, slope);
  subtract(third, third, sum);
  normalize(third, third);
  subtract(t, x, third);
  multiply(t, slope, t);
  subtract(t, t, y);
  normalize(y, t);
  copy(x, third);
}

/** ψ(x, y) = (x̄·ξ^((p−1)/3), ȳ·ξ^((p−1)/2)), the Frobenius map on the twist. */
function psi(out: usize, point: usize): void {
  const t = scratch(9);
  conjugate(t, point);
  multiply(out, t, FROBENIUS_1 + 2 * 80);
  conjugate(t, point + 80);
  multiply(out + 80, t, FROBENIUS_1 + 3 * 80);
}

/**
 * Writes the lines of `count` points to `lines`. `valid` has one byte per point, 1 in the subgroup of order r and 0 outside. In
 * the subgroup, and only there, the loop, which ends at [6x+2]Q + ψ(Q) − ψ²(Q), ends at −ψ³(Q) (ePrint 2022/348, section 3;
 * test/platform/crypto/proofs/groth16.test.ts computes the resultant).
 */
export function prepareLines(points: usize, count: i32, lines: usize, valid: usize): void {
  for (let i = 0; i < count; i++) {
    copy(WAY + i * 160, points + i * 160);
    copy(WAY + i * 160 + 80, points + i * 160 + 80);
    store<u8>(valid + i, 1);
  }
  let step = lines;
  for (let at = 0; at < LOOP_LENGTH; at++) {
    doubleAll(count, step, valid);
    step += 160;
    const digit: i32 = load<i8>(LOOP + at);
    if (digit == 0) continue;
    for (let i = 0; i < count; i++) {
      copy(ADDENDS + i * 160, points + i * 160);
      scale(ADDENDS + i * 160 + 80, points + i * 160 + 80, digit);
    }
    addAll(count, step, valid);
    step += 160;
  }
  for (let i = 0; i < count; i++) psi(ADDENDS + i * 160, points + i * 160);
  addAll(count, step, valid);
  step += 160;
  for (let i = 0; i < count; i++) {
    // −ψ²(Q): ξ^((p²−1)/2) is −1.
    multiply(ADDENDS + i * 160, points + i * 160, FROBENIUS_2 + 2 * 80);
    copy(ADDENDS + i * 160 + 80, points + i * 160 + 80);
  }
  addAll(count, step, valid);
  const end = scratch(10), endY = end + 80;
  for (let i = 0; i < count; i++) {
    psi(end, ADDENDS + i * 160);
    subtract(end, end, WAY + i * 160);
    normalize(end, end);
    subtract(endY, endY, WAY + i * 160 + 80);
    normalize(endY, endY);
    if (!isZero(end) || !isZero(endY)) store<u8>(valid + i, 0);
  }
}
