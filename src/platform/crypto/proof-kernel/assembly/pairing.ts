// Products of optimal ate pairings, and whether they are one.

import { LOOP, LOOP_LENGTH, ONE, X_DIGITS, X_LENGTH } from './constants';
import { isZero, scratch, subtract } from './element';
import { multiplyLanes, normalize } from './field';
import { at, conjugate12, copy12, frobenius, invert12, multiply12, multiplyByLine, setOne12, square12, squareCyclotomic } from './tower';

const FA: usize = memory.data(480, 16), FB: usize = memory.data(480, 16);

/**
 * Multiplies by the lines of one step at each pair's point P: 1 − λ·(x/y)·w + (λ·x' − y')/y·w³. This is the line divided by y,
 * an element of F_p, which the final exponentiation allows. An address of zero leaves a pair out. Returns the address of the
 * product.
 */
function applyStep(f: usize, pairs: i32, addresses: usize, evaluations: usize, step: usize): usize {
  const a = scratch(30), b = scratch(31);
  for (let i = 0; i < pairs; i++) {
    const line: usize = load<u32>(addresses + 4 * i);
    if (line == 0) continue;
    const evaluation = evaluations + i * 160, to = f == FA ? FB : FA;
    multiplyLanes(a, line + step, evaluation);
    multiplyLanes(b, line + step + 80, evaluation + 80);
    multiplyByLine(to, f, a, b);
    f = to;
  }
  return f;
}

/**
 * Runs the Miller loops of all pairs in one: the lines at `addresses`, and (−x/y, 1/y) for each P, one element each, with equal
 * lanes.
 */
export function millerLoop(out: usize, pairs: i32, addresses: usize, evaluations: usize): void {
  let f = FA, step: usize = 0;
  setOne12(f);
  for (let d = 0; d < LOOP_LENGTH; d++) {
    if (d > 0) square12(f, f);
    f = applyStep(f, pairs, addresses, evaluations, step);
    step += 160;
    if (load<i8>(LOOP + d) == 0) continue;
    f = applyStep(f, pairs, addresses, evaluations, step);
    step += 160;
  }
  f = applyStep(f, pairs, addresses, evaluations, step);
  f = applyStep(f, pairs, addresses, evaluations, step + 160);
  copy12(out, f);
}

const VALUES: usize = memory.data(18 * 480, 16);
// @ts-ignore: decorator
@inline
function value(at: i32): usize {
  return VALUES + at * 480;
}

/** Raises to the power of −x, in the cyclotomic subgroup. */
function powerOfMinusX(out: usize, a: usize): void {
  const r = value(16), bar = value(17);
  conjugate12(bar, a);
  copy12(r, a);
  for (let d = 0; d < X_LENGTH; d++) {
    squareCyclotomic(r, r);
    const digit: i32 = load<i8>(X_DIGITS + d);
    if (digit == 1) multiply12(r, r, a);
    else if (digit == -1) multiply12(r, r, bar);
  }
  conjugate12(out, r);
}

/**
 * Whether f to the power of (p¹² − 1)/r is one. The hard part computes a multiple of this power, 2x·(6x² + 3x + 1) times, which
 * r does not divide (Fuentes-Castañeda, Knapp and Rodríguez-Henríquez, SAC 2011, section 4.2). Returns false for zero.
 */
export function isOneAfterExponentiation(f: usize): bool {
  const r = value(0), t = value(1);
  // f^((p⁶ − 1)·(p² + 1))
  invert12(t, f); conjugate12(r, f); multiply12(r, r, t);
  frobenius(t, r, 2); multiply12(r, t, r);
  const y0 = value(2), y1 = value(3), y3 = value(4), y4 = value(5), y6 = value(6), y8 = value(7), y9 = value(8), y11 = value(9);
  powerOfMinusX(y0, r);
  squareCyclotomic(y1, y0);         // f^−2x
  squareCyclotomic(y3, y1);
  multiply12(y3, y3, y1);           // f^−6x
  powerOfMinusX(y4, y3);            // f^6x²
  squareCyclotomic(y6, y4);
  powerOfMinusX(y6, y6);            // f^−12x³
  conjugate12(y3, y3); conjugate12(y6, y6);
  multiply12(y8, y6, y4); multiply12(y8, y8, y3); // a = f^(12x³ + 6x² + 6x)
  multiply12(y9, y8, y1);           // b = a·f^−2x
  multiply12(y11, y8, y4); multiply12(y11, y11, r); // a·f^6x²·f
  frobenius(t, y9, 1); multiply12(y11, t, y11);     // · b^p
  frobenius(t, y8, 2); multiply12(y11, t, y11);     // · a^p²
  conjugate12(r, r); multiply12(t, r, y9);
  frobenius(y0, t, 3); multiply12(y11, y0, y11);    // · (b/f)^p³
  const rest = scratch(30);
  subtract(y11, y11, ONE);
  for (let i = 0; i < 6; i++) {
    normalize(rest, at(y11, i));
    if (!isZero(rest)) return false;
  }
  return true;
}
