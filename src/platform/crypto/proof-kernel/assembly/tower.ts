// F_p12 = F_p²[w]/(w⁶ − ξ), ξ = 9 + i: six elements, the coefficients of 1, w, …, w⁵. The coefficients of products are sums
// that share a reduction (ePrint 2022/367, section 3).

import { copy, conjugate, scale, scratch, setZero, subtract, add } from './element';
import { multiply, multiplyByXi, normalize, square, sumOf2, sumOf2Plus, sumOf3, sumOf4, sumOf6 } from './field';
import { FROBENIUS_1, FROBENIUS_2, FROBENIUS_3, ONE } from './constants';
import { invert } from './inversion';

/** Length of an element of F_p12 in bytes. */
export const TOWER: usize = 480;

/** Coefficients of an operand times ξ, and times two; and results that are computed before they replace an operand. */
const XI: usize = memory.data(480, 16), TWICE: usize = memory.data(480, 16), RESULT: usize = memory.data(480, 16);

// @ts-ignore: decorator
@inline
export function at(a: usize, power: i32): usize {
  return a + power * 80;
}

export function copy12(out: usize, a: usize): void {
  for (let i = 0; i < 6; i++) copy(at(out, i), at(a, i));
}

export function setOne12(out: usize): void {
  copy(out, ONE);
  for (let i = 1; i < 6; i++) setZero(at(out, i));
}

/** The coefficient of w^power of `b`. For a negative power, the coefficient of w^(power + 6) times w⁶ = ξ. */
// @ts-ignore: decorator
@inline
function wrapped(b: usize, power: i32): usize {
  return power >= 0 ? at(b, power) : at(XI, power + 6);
}

export function multiply12(out: usize, a: usize, b: usize): void {
  for (let i = 1; i < 6; i++) multiplyByXi(at(XI, i), at(b, i));
  for (let k = 0; k < 6; k++) {
    sumOf6(at(RESULT, k), at(a, 0), at(b, k), at(a, 1), wrapped(b, k - 1), at(a, 2), wrapped(b, k - 2),
      at(a, 3), wrapped(b, k - 3), at(a, 4), wrapped(b, k - 4), at(a, 5), wrapped(b, k - 5));
  }
  copy12(out, RESULT);
}

export function square12(out: usize, f: usize): void {
  for (let i = 0; i < 5; i++) scale(at(TWICE, i), at(f, i), 2);
  for (let i = 3; i < 6; i++) multiplyByXi(at(XI, i), at(f, i));
  const f0 = at(f, 0), f1 = at(f, 1), f2 = at(f, 2), f3 = at(f, 3), f4 = at(f, 4), f5 = at(f, 5);
  const d0 = at(TWICE, 0), d1 = at(TWICE, 1), d2 = at(TWICE, 2), d3 = at(TWICE, 3), d4 = at(TWICE, 4);
  const x3 = at(XI, 3), x4 = at(XI, 4), x5 = at(XI, 5);
  sumOf4(at(RESULT, 0), f0, f0, d1, x5, d2, x4, f3, x3);
  sumOf3(at(RESULT, 1), d0, f1, d2, x5, d3, x4);
  sumOf4(at(RESULT, 2), d0, f2, f1, f1, d3, x5, f4, x4);
  sumOf3(at(RESULT, 3), d0, f3, d1, f2, d4, x5);
  sumOf4(at(RESULT, 4), d0, f4, d1, f3, f2, f2, f5, x5);
  sumOf3(at(RESULT, 5), d0, f5, d1, f4, d2, f3);
  copy12(out, RESULT);
}

/** f·(1 + a·w + b·w³). `out` must be another place. */
export function multiplyByLine(out: usize, f: usize, a: usize, b: usize): void {
  const xa = scratch(20), xb = scratch(21);
  multiplyByXi(xa, a);
  multiplyByXi(xb, b);
  sumOf2Plus(at(out, 0), at(f, 5), xa, at(f, 3), xb, at(f, 0));
  sumOf2Plus(at(out, 1), at(f, 0), a, at(f, 4), xb, at(f, 1));
  sumOf2Plus(at(out, 2), at(f, 1), a, at(f, 5), xb, at(f, 2));
  sumOf2Plus(at(out, 3), at(f, 2), a, at(f, 0), b, at(f, 3));
  sumOf2Plus(at(out, 4), at(f, 3), a, at(f, 1), b, at(f, 4));
  sumOf2Plus(at(out, 5), at(f, 4), a, at(f, 2), b, at(f, 5));
}

/** Raises to the power of p⁶: w becomes −w. In the cyclotomic subgroup, this is the inverse. */
export function conjugate12(out: usize, a: usize): void {
  for (let i = 0; i < 6; i++) scale(at(out, i), at(a, i), (i & 1) == 0 ? 1 : -1);
}

/** Raises to the power of p, p² or p³. */
export function frobenius(out: usize, a: usize, power: i32): void {
  const factors = power == 1 ? FROBENIUS_1 : power == 2 ? FROBENIUS_2 : FROBENIUS_3;
  const t = scratch(20);
  for (let i = 0; i < 6; i++) {
    if (power == 2) copy(t, at(a, i));
    else conjugate(t, at(a, i));
    multiply(at(out, i), t, at(factors, i));
  }
}

const BAR: usize = memory.data(480, 16), NORM: usize = memory.data(480, 16), INVERSE: usize = memory.data(480, 16);

/**
 * ā/(a·ā), where a·ā is in F_p6 = F_p²[v]/(v³ − ξ), v = w². It is inverted with its norm to F_p² (Guide to Pairing-Based
 * Cryptography, alg. 5.23).
 */
export function invert12(out: usize, a: usize): void {
  conjugate12(BAR, a);
  multiply12(NORM, a, BAR);
  const n0 = at(NORM, 0), n1 = at(NORM, 2), n2 = at(NORM, 4);
  const t0 = scratch(20), t1 = scratch(21), t2 = scratch(22), t = scratch(23), u = scratch(24);
  // t0 = n0² − ξ·n1·n2; t1 = ξ·n2² − n0·n1; t2 = n1² − n0·n2
  square(t0, n0); multiply(t, n1, n2); multiplyByXi(t, t); subtract(t0, t0, t); normalize(t0, t0);
  square(t, n2); multiplyByXi(t, t); multiply(u, n0, n1); subtract(t1, t, u); normalize(t1, t1);
  square(t2, n1); multiply(u, n0, n2); subtract(t2, t2, u); normalize(t2, t2);
  // The norm: n0·t0 + ξ·(n2·t1 + n1·t2).
  sumOf2(t, n2, t1, n1, t2); multiplyByXi(t, t); multiply(u, n0, t0); add(t, t, u); normalize(t, t);
  invert(u, t);
  for (let i = 1; i < 6; i += 2) setZero(at(INVERSE, i));
  multiply(at(INVERSE, 0), t0, u);
  multiply(at(INVERSE, 2), t1, u);
  multiply(at(INVERSE, 4), t2, u);
  multiply12(out, BAR, INVERSE);
}

/** Squares in the cyclotomic subgroup (ePrint 2009/565, section 3.2): three squares in F_p4 = F_p²[w³], w⁶ = ξ. */
export function squareCyclotomic(out: usize, f: usize): void {
  const a = scratch(20), b = scratch(21);
  squareFp4(a, b, at(f, 0), at(f, 3));
  tripleAndTwice(at(RESULT, 0), a, at(f, 0), -2);
  tripleAndTwice(at(RESULT, 3), b, at(f, 3), 2);
  squareFp4(a, b, at(f, 1), at(f, 4));
  tripleAndTwice(at(RESULT, 2), a, at(f, 2), -2);
  tripleAndTwice(at(RESULT, 5), b, at(f, 5), 2);
  squareFp4(a, b, at(f, 2), at(f, 5));
  multiplyByXi(b, b);
  tripleAndTwice(at(RESULT, 1), b, at(f, 1), 2);
  tripleAndTwice(at(RESULT, 4), a, at(f, 4), -2);
  copy12(out, RESULT);
}

/** (x + y·w³)²: a = x² + ξ·y², b = 2xy. */
function squareFp4(a: usize, b: usize, x: usize, y: usize): void {
  const t = scratch(22);
  multiplyByXi(t, y);
  sumOf2(a, x, x, y, t);
  scale(t, x, 2);
  multiply(b, t, y);
}

/** 3a + by·f */
function tripleAndTwice(out: usize, a: usize, f: usize, by: i32): void {
  const t = scratch(22);
  scale(t, f, by);
  scale(out, a, 3);
  add(out, out, t);
  normalize(out, out);
}
