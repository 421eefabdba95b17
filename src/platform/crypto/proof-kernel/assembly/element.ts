// Elements of F_p², or pairs of elements of F_p: five limbs of 51 bits, each a v128 of two doubles that contain integers. The
// functions here add and move elements without reducing them. docs/proof-kernel.md describes the representation and its bounds.

import { CHECKED, multipleOf, setMultiple } from './checked';

/** Length of an element in bytes. */
export const ELEMENT: usize = 80;

export function add(out: usize, a: usize, b: usize): void {
  const multiple = CHECKED ? multipleOf(a) + multipleOf(b) : 0;
  for (let i: usize = 0; i < 80; i += 16) v128.store(out + i, f64x2.add(v128.load(a + i), v128.load(b + i)));
  if (CHECKED) setMultiple(out, multiple);
}

export function subtract(out: usize, a: usize, b: usize): void {
  const multiple = CHECKED ? multipleOf(a) + multipleOf(b) : 0;
  for (let i: usize = 0; i < 80; i += 16) v128.store(out + i, f64x2.sub(v128.load(a + i), v128.load(b + i)));
  if (CHECKED) setMultiple(out, multiple);
}

/** Multiplies by a small integer. */
export function scale(out: usize, a: usize, by: i32): void {
  const factor = f64x2.splat(<f64>by);
  const multiple = CHECKED ? multipleOf(a) * abs(by) : 0;
  for (let i: usize = 0; i < 80; i += 16) v128.store(out + i, f64x2.mul(v128.load(a + i), factor));
  if (CHECKED) setMultiple(out, multiple);
}

export function copy(out: usize, a: usize): void {
  for (let i: usize = 0; i < 80; i += 16) v128.store(out + i, v128.load(a + i));
  if (CHECKED) setMultiple(out, multipleOf(a));
}

export function setZero(out: usize): void {
  memory.fill(out, 0, ELEMENT);
  if (CHECKED) setMultiple(out, 1);
}

/** a0 − a1·i */
export function conjugate(out: usize, a: usize): void {
  const sign = i64x2(0, i64.MIN_VALUE);
  for (let i: usize = 0; i < 80; i += 16) v128.store(out + i, v128.xor(v128.load(a + i), sign));
  if (CHECKED) setMultiple(out, multipleOf(a));
}

/** Exchanges the lanes. */
export function swap(out: usize, a: usize): void {
  for (let i: usize = 0; i < 80; i += 16) {
    const limb = v128.load(a + i);
    v128.store(out + i, v128.shuffle<f64>(limb, limb, 1, 0));
  }
  if (CHECKED) setMultiple(out, multipleOf(a));
}

/** Copies one lane to both. */
export function spread(out: usize, a: usize, lane: i32): void {
  for (let i: usize = 0; i < 80; i += 16) {
    const limb = load<u64>(a + i + 8 * lane);
    v128.store(out + i, i64x2.splat(limb));
  }
  if (CHECKED) setMultiple(out, multipleOf(a));
}

/** Copies the high lane of another element. */
export function takeHigh(out: usize, a: usize): void {
  for (let i: usize = 8; i < 80; i += 16) store<f64>(out + i, load<f64>(a + i));
  if (CHECKED) setMultiple(out, max(multipleOf(out), multipleOf(a)));
}

/**
 * Whether a lane of a reduced element is zero. Within half of p, only the integer 0 is a multiple of p. With limbs of at most
 * 2^50 it has one form, up to the sign of its zeros: the lowest limb is a multiple of 2^51, and so on.
 */
export function isZeroLane(a: usize, lane: i32): bool {
  if (CHECKED && multipleOf(a) != 1) unreachable();
  let zero = true;
  for (let i: usize = 0; i < 80; i += 16) zero = zero && load<f64>(a + i + 8 * lane) == 0;
  return zero;
}

export function isZero(a: usize): bool {
  return isZeroLane(a, 0) && isZeroLane(a, 1);
}

const SCRATCH: usize = memory.data(128 * 80, 16);
/** Elements for the intermediate values of a function. Each function has separate numbers. */
// @ts-ignore: decorator
@inline
export function scratch(at: i32): usize {
  return SCRATCH + at * 80;
}

let top: usize = (__heap_base + 63) & ~63;
/** Allocates memory for the life of the instance. */
export function allocate(size: usize): usize {
  const at = top;
  top += (size + 63) & ~63;
  const pages = <i32>((top + 0xffff) >> 16);
  if (pages > memory.size() && memory.grow(pages - memory.size()) < 0) unreachable();
  return at;
}
