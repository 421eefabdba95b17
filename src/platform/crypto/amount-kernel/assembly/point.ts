// Points of edwards25519, -x² + y² = 1 + d·x²·y², that represent elements of ristretto255 (RFC 9496).
//
// A point is X, Y, Z, T with x = X/Z, y = Y/Z, x·y = T/Z. An addend, the form in which a point is added, is Y+X, Y-X, 2d·T, 2Z.
// Both are four elements, 144 bytes. Coordinates of points are reduced; those of an addend are at most sums of two.

import { ELEMENT, add, copy, fromBytes, isOdd, isZero, multiply, negateIf, powerForRoot, set, square, subtract } from './field';

export const POINT: usize = 144;
export const Y: usize = 36;
export const Z: usize = 72;
export const T: usize = 108;

const D_BYTES: usize = memory.data<u8>([
  0xa3, 0x78, 0x59, 0x13, 0xca, 0x4d, 0xeb, 0x75, 0xab, 0xd8, 0x41, 0x41, 0x4d, 0x0a, 0x70, 0x00, 0x98, 0xe8, 0x79, 0x77,
  0x79, 0x40, 0xc7, 0x8c, 0x73, 0xfe, 0x6f, 0x2b, 0xee, 0x6c, 0x03, 0x52,
]);
const ROOT_OF_MINUS_ONE_BYTES: usize = memory.data<u8>([
  0xb0, 0xa0, 0x0e, 0x4a, 0x27, 0x1b, 0xee, 0xc4, 0x78, 0xe4, 0x2f, 0xad, 0x06, 0x18, 0x43, 0x2f, 0xa7, 0xd7, 0xfb, 0x3d,
  0x99, 0x00, 0x4d, 0x2b, 0x0b, 0xdf, 0xc1, 0x4f, 0x80, 0x24, 0x83, 0x2b,
]);
const GENERATOR_BYTES: usize = memory.data<u8>([
  0xe2, 0xf2, 0xae, 0x0a, 0x6a, 0xbc, 0x4e, 0x71, 0xa8, 0x84, 0xa9, 0x61, 0xc5, 0x00, 0x51, 0x5f, 0x58, 0xe3, 0x0b, 0x6a,
  0xa5, 0x82, 0xdd, 0x8d, 0xb6, 0xa6, 0x59, 0x45, 0xe0, 0x8d, 0x2d, 0x76,
]);

const CONSTANTS: usize = memory.data(4 * 36, 16);
const ONE: usize = CONSTANTS;
export const CURVE_D: usize = CONSTANTS + ELEMENT;
const TWO_D: usize = CONSTANTS + 2 * ELEMENT;
const ROOT_OF_MINUS_ONE: usize = CONSTANTS + 3 * ELEMENT;

/** The 4-bit windows for multiples of G: 16^i·j·G as an addend, for i below 8 and j below 16. */
const GENERATOR_WINDOWS: usize = memory.data(8 * 16 * 144, 16);

const SCRATCH: usize = memory.data(9 * 36, 16);
const A: usize = SCRATCH;
const B: usize = SCRATCH + ELEMENT;
const C: usize = SCRATCH + 2 * ELEMENT;
const E: usize = SCRATCH + 3 * ELEMENT;
const F: usize = SCRATCH + 4 * ELEMENT;
const G: usize = SCRATCH + 5 * ELEMENT;
const H: usize = SCRATCH + 6 * ELEMENT;
const I: usize = SCRATCH + 7 * ELEMENT;
const J: usize = SCRATCH + 8 * ELEMENT;

const MULTIPLE: usize = memory.data(144, 16);
const ADDEND: usize = memory.data(144, 16);

/** Computes the constants and the windows of G. */
export function preparePoints(generator: usize): void {
  set(ONE, 1);
  fromBytes(CURVE_D, D_BYTES);
  add(TWO_D, CURVE_D, CURVE_D);
  fromBytes(ROOT_OF_MINUS_ONE, ROOT_OF_MINUS_ONE_BYTES);
  decode(generator, GENERATOR_BYTES);

  memory.copy(ADDEND, generator, POINT);
  for (let i = 0; i < 8; i++) {
    setIdentity(MULTIPLE);
    for (let j = 0; j < 16; j++) {
      toAddend(generatorWindow(i, j), MULTIPLE);
      if (j === 0) memory.copy(MULTIPLE, ADDEND, POINT);
      else addTo(MULTIPLE, generatorWindow(i, 1));
    }
    memory.copy(ADDEND, MULTIPLE, POINT);
  }
}

@inline
function generatorWindow(i: i32, j: i32): usize {
  return GENERATOR_WINDOWS + usize(16 * i + j) * POINT;
}

/** 2^bit·G as an addend, for a bit below 32. */
export function powerOfTwo(bit: i32): usize {
  return generatorWindow(bit >> 2, 1 << (bit & 3));
}

export function setIdentity(point: usize): void {
  set(point, 0);
  set(point + Y, 1);
  set(point + Z, 1);
  set(point + T, 0);
}

export function toAddend(addend: usize, point: usize): void {
  add(addend, point + Y, point);
  subtract(addend + Y, point + Y, point);
  multiply(addend + Z, point + T, TWO_D);
  add(addend + T, point + Z, point + Z);
}

/** Negates the addend if the mask is -1, and copies it if it is 0, with the same instructions. */
export function negateAddendIf(mask: i32, out: usize, addend: usize): void {
  for (let limb: usize = 0; limb < ELEMENT; limb += 4) {
    const sum = load<i32>(addend + limb), difference = load<i32>(addend + Y + limb);
    const swap = (sum ^ difference) & mask;
    store<i32>(out + limb, sum ^ swap);
    store<i32>(out + Y + limb, difference ^ swap);
  }
  negateIf(mask, out + Z, addend + Z);
  copy(out + T, addend + T);
}

/** Adds to a point with the complete formula of Hisil, Wong, Carter and Dawson. */
export function addTo(point: usize, addend: usize): void {
  subtract(A, point + Y, point);
  multiply(A, A, addend + Y);
  add(B, point + Y, point);
  multiply(B, B, addend);
  multiply(C, point + T, addend + Z);
  multiply(E, point + Z, addend + T);
  subtract(F, E, C);
  add(G, E, C);
  subtract(E, B, A);
  add(H, B, A);
  multiply(point, E, F);
  multiply(point + Y, G, H);
  multiply(point + Z, F, G);
  multiply(point + T, E, H);
}

/** Doubles a point. T is computed only on request, because doubling does not need it. */
export function double(point: usize, withT: bool): void {
  square(A, point);
  square(B, point + Y);
  square(C, point + Z);
  add(H, B, A);
  subtract(G, B, A);
  add(E, point, point + Y);
  square(E, E);
  subtract(E, E, H);
  add(F, C, C);
  subtract(F, F, G);
  multiply(point, E, F);
  multiply(point + Y, G, H);
  multiply(point + Z, F, G);
  if (withT) multiply(point + T, E, H);
}

/** Decodes a canonical encoding (RFC 9496, 4.3.1). Returns false if there is no such point. */
export function decode(point: usize, bytes: usize): bool {
  if (!isCanonical(bytes)) return false;
  const s = A, u1 = B, u2 = C, u2Squared = E, v = F, root = G;
  fromBytes(s, bytes);
  square(H, s);
  subtract(u1, ONE, H);
  add(u2, ONE, H);
  square(u2Squared, u2);
  square(v, u1);
  multiply(v, v, CURVE_D);
  add(v, v, u2Squared);
  negateIf(-1, v, v);
  multiply(H, v, u2Squared);
  const wasSquare = invertedRoot(root, H);
  multiply(H, root, u2);
  multiply(I, root, H);
  multiply(I, I, v);
  add(s, s, s);
  multiply(point, s, H);
  negateIf(-i32(isOdd(point)), point, point);
  multiply(point + Y, u1, I);
  set(point + Z, 1);
  multiply(point + T, point, point + Y);
  return wasSquare && !isOdd(point + T) && !isZero(point + Y);
}

/** Computes 1/√v up to its sign. Returns false if v has no root. `v` must not be one of the scratch elements used here. */
function invertedRoot(out: usize, v: usize): bool {
  square(I, v);
  multiply(I, I, v);
  square(J, I);
  multiply(J, J, v);
  powerForRoot(out, J);
  multiply(out, out, I);
  // out is now v^3·(v^7)^((p-5)/8), which differs from the result by a fourth root of unity.
  square(I, out);
  multiply(I, I, v);
  subtract(J, I, ONE);
  if (isZero(J)) return true;
  add(J, I, ONE);
  const isNegated = isZero(J);
  multiply(out, out, ROOT_OF_MINUS_ONE);
  return isNegated;
}

/** Whether 32 bytes are an even number below 2^255 - 19. */
function isCanonical(bytes: usize): bool {
  const w0 = load<u64>(bytes, 0), w1 = load<u64>(bytes, 8), w2 = load<u64>(bytes, 16), w3 = load<u64>(bytes, 24);
  if ((w0 & 1) !== 0 || w3 >> 63 !== 0) return false;
  return w0 < 0xffffffffffffffed || (w1 & w2) !== u64.MAX_VALUE || w3 !== 0x7fffffffffffffff;
}

/** Whether x·G is the element that the point represents (RFC 9496, 4.3.3). */
export function isMultipleOfGenerator(x: u32, point: usize): bool {
  setIdentity(MULTIPLE);
  for (let i = 0; i < 8; i++) addTo(MULTIPLE, generatorWindow(i, i32((x >> (4 * i)) & 15)));
  multiply(A, point, MULTIPLE + Y);
  multiply(B, point + Y, MULTIPLE);
  subtract(A, A, B);
  if (isZero(A)) return true;
  multiply(A, point, MULTIPLE);
  multiply(B, point + Y, MULTIPLE + Y);
  subtract(A, A, B);
  return isZero(A);
}

export function erasePoints(): void {
  memory.fill(SCRATCH, 0, 9 * ELEMENT);
  memory.fill(MULTIPLE, 0, POINT);
}
