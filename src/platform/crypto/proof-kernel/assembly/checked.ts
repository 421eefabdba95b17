// The second half of the proof of bounds (docs/proof-kernel.md). Compiled with CHECKED, the kernel records for each element in
// memory a bound on the number of elements that it is a sum of, and traps at an operation that is not proven for that number.
// No branch of the kernel that leads to other operations depends on the value of an element, so one run is valid for all.
// Without CHECKED, none of this is compiled.

import { ADDEND_UNITS, BUDGET, CHECKED, MAX_PRODUCT, PRODUCT_UNITS } from './constants';
export { CHECKED };

/** One byte for every 16 bytes of the memory below, which the kernel does not exceed. Zero: no element. */
const MULTIPLES: usize = 8 << 20;
const PAGES: i32 = 9 << 4;

export function prepareMultiples(): void {
  memory.grow(PAGES - memory.size());
}

export function multipleOf(a: usize): i32 {
  if ((a & 15) != 0 || a >= MULTIPLES) unreachable();
  const multiple: i32 = load<u8>(MULTIPLES + (a >> 4));
  if (multiple == 0) unreachable();
  return multiple;
}

export function setMultiple(a: usize, multiple: i32): void {
  if ((a & 15) != 0 || a >= MULTIPLES || multiple > 100) unreachable();
  store<u8>(MULTIPLES + (a >> 4), <u8>multiple);
}

export function requireMultiple(a: usize, most: i32): void {
  if (multipleOf(a) > most) unreachable();
}

/** m·n for two factors. The limit keeps each product of their limbs exact. */
export function productOf(a: usize, b: usize): i32 {
  const product = multipleOf(a) * multipleOf(b);
  if (product > MAX_PRODUCT) unreachable();
  return product;
}

/** For a square by sums and differences, both of which have twice the multiple. */
export function squareOf(a: usize): i32 {
  const multiple = multipleOf(a);
  return productOf(a, a) * 4 > MAX_PRODUCT ? unreachable() : 4 * multiple * multiple;
}

/** Traps unless a sum of products, each worth `factor` products in F_p, is in the proven range of its reduction. */
export function requireProducts(sum: i32, factor: i32): void {
  if (<i64>sum * <i64>factor * PRODUCT_UNITS > BUDGET) unreachable();
}

export function requireProductsAndAddend(sum: i32, factor: i32, addend: usize): void {
  requireMultiple(addend, 1);
  if (<i64>sum * <i64>factor * PRODUCT_UNITS + ADDEND_UNITS > BUDGET) unreachable();
}
