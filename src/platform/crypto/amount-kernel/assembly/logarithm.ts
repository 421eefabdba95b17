// Discrete logarithms of small multiples of G: baby-step giant-step (Shanks) on an invariant of the ristretto coset.
//
// In affine coordinates, t = x·y and s = x² + y² are the same for all points that represent one element, up to a common sign.
// For the negative element, only t changes its sign. With r = t/s, the addition law is
//
//   t(P ± Q) = (r_P ± r_Q) · s_P / (1/s_Q - t_P²·d²·t_Q²/s_Q),
//
// so a pair of steps costs six multiplications, three of them for its share of the inversion of a batch. No denominator is
// zero: d is not a square, and s is zero only for points of order 8, which represent no element.
//
// The table maps ±t(j·G) to j, for 0 ≤ j < 2^21: 2^18 buckets of 16 slots, half full. A filter has one byte of each key. An
// entry has the value and eleven more bits of the key. Each answer of the table is verified. The search takes variable time:
// its duration reveals roughly how large a value is, but nothing about a key.

import { add, copy, ELEMENT, invert, lowWord, multiply, set, square, subtract } from './field';
import { addTo, CURVE_D, isMultipleOfGenerator, negateAddendIf, POINT, powerOfTwo, setIdentity, toAddend, Y, Z } from './point';

const BABY_STEPS: i64 = 1 << 21;
const BUCKETS: usize = 1 << 18;
const SLOTS: usize = 16;
/** Number of bits of an entry that are its value. The others are additional bits of its key. */
const VALUE_BITS: u32 = 21;
/** The distance between giant steps: a look-up finds values at a distance of less than 2^21 on either side. */
const STRIDE: i64 = 2 * BABY_STEPS - 1;

/** Width of the search that precedes a wide one, so that smaller values are found sooner. */
const EARLY_BITS = 27;

/** Maximum number of steps of a search that share an inversion. Part of the last batch of a search is wasted. */
const SEARCH_BATCH: i32 = 128;
/** Number of steps that share an inversion when the table is built. None is wasted. */
const BATCH = 512;

/** The values of a step: r, 1/s and d²·t²/s. */
const STEP: usize = 108;
const BABY_UNITS: usize = memory.data(512 * 108, 16);
const GIANT_STEPS: usize = memory.data(513 * 108, 16);
const GIANT_COUNT = 513;

const POINTS: usize = memory.data(513 * 144, 16);
const NORMS: usize = memory.data(513 * 36, 16);
const DENOMINATORS: usize = memory.data(512 * 36, 16);
const PREFIXES: usize = memory.data(513 * 36, 16);
const KEYS: usize = memory.data(2 * 512 * 8, 16);

const ANCHOR: usize = memory.data(4 * 36, 16);
const ANCHOR_R: usize = ANCHOR;
const ANCHOR_S: usize = ANCHOR + ELEMENT;
const ANCHOR_T: usize = ANCHOR + 2 * ELEMENT;
const ANCHOR_T_SQUARED: usize = ANCHOR + 3 * ELEMENT;

const SCRATCH: usize = memory.data(5 * 36, 16);
const A: usize = SCRATCH;
const B: usize = SCRATCH + ELEMENT;
const C: usize = SCRATCH + 2 * ELEMENT;
const D_SQUARED: usize = SCRATCH + 3 * ELEMENT;
const ONE: usize = SCRATCH + 4 * ELEMENT;
const ADDEND: usize = memory.data(144, 16);

/** The table: the filter, one byte per slot, followed by the entries, four bytes per slot. */
export const TABLE: usize = (__heap_base + 63) & ~63;
export const TABLE_LENGTH: usize = BUCKETS * SLOTS * 5;
const ENTRIES: usize = TABLE + BUCKETS * SLOTS;

/** Computes the giant steps, and allocates memory for the table. */
export function prepareLogarithm(generator: usize): void {
  memory.grow(i32((TABLE + TABLE_LENGTH + 0xffff) >> 16) - memory.size());
  square(D_SQUARED, CURVE_D);
  set(ONE, 1);
  toAddend(ADDEND, generator);
  fillSteps(BABY_UNITS, BATCH);

  // 2^22·G - G.
  negateAddendIf(-1, ADDEND, ADDEND);
  setIdentity(POINTS);
  addTo(POINTS, powerOfTwo(22));
  addTo(POINTS, ADDEND);
  toAddend(ADDEND, POINTS);
  fillSteps(GIANT_STEPS, GIANT_COUNT);
}

/** The steps of 0 to count - 1 times the addend. */
function fillSteps(steps: usize, count: i32): void {
  setIdentity(POINTS);
  for (let i = 1; i < count; i++) {
    memory.copy(POINTS + usize(i) * POINT, POINTS + usize(i - 1) * POINT, POINT);
    addTo(POINTS + usize(i) * POINT, ADDEND);
  }
  invertNorms(count);
  for (let i = 0; i < count; i++) {
    const step = steps + usize(i) * STEP;
    readInvariants(i);
    memory.copy(step, ANCHOR_R, ELEMENT);
    // 1/s = Z²·(Z²/(norm)). readInvariants wrote the second factor to A.
    square(B, POINTS + usize(i) * POINT + Z);
    multiply(step + ELEMENT, A, B);
    multiply(B, ANCHOR_T, ANCHOR_R);
    multiply(step + 2 * ELEMENT, B, D_SQUARED);
  }
}

/** Writes to NORMS, for the first points of POINTS, the inverses of (X² + Y²)·Z². */
function invertNorms(count: i32): void {
  for (let i = 0; i < count; i++) {
    const point = POINTS + usize(i) * POINT;
    square(A, point);
    square(B, point + Y);
    add(A, A, B);
    square(B, point + Z);
    multiply(NORMS + usize(i) * ELEMENT, A, B);
  }
  invertAll(NORMS, count, ONE);
}

/** Writes r, s, t and t² of one of POINTS to ANCHOR. Then A is Z² / ((X² + Y²)·Z²). */
function readInvariants(index: i32): void {
  const point = POINTS + usize(index) * POINT;
  const inverse = NORMS + usize(index) * ELEMENT;
  square(A, point);
  square(B, point + Y);
  add(A, A, B);
  multiply(B, inverse, A);
  multiply(ANCHOR_S, A, B);
  multiply(C, point, point + Y);
  multiply(ANCHOR_T, C, B);
  square(ANCHOR_T_SQUARED, ANCHOR_T);
  square(B, point + Z);
  multiply(A, inverse, B);
  multiply(ANCHOR_R, C, A);
}

/** Inverts consecutive elements, none of which is zero, with one inversion, and multiplies each by the factor. */
function invertAll(elements: usize, count: i32, factor: usize): void {
  copy(PREFIXES, elements);
  const last = usize(count - 1) * ELEMENT;
  for (let i: usize = ELEMENT; i <= last; i += ELEMENT) multiply(PREFIXES + i, PREFIXES + i - ELEMENT, elements + i);
  let inverse = A, next = B;
  invert(next, PREFIXES + last);
  multiply(inverse, next, factor);
  for (let i = last; i > 0; i -= ELEMENT) {
    multiply(next, inverse, elements + i);
    multiply(elements + i, inverse, PREFIXES + i - ELEMENT);
    const used = inverse;
    inverse = next;
    next = used;
  }
  copy(elements, inverse);
}

/** Writes to KEYS, for each step of a batch, the keys of anchor + step and anchor - step. */
function pairKeys(steps: usize, from: i32, count: i32): void {
  steps += usize(from) * STEP;
  for (let i: usize = 0; i < usize(count); i++) {
    const step = steps + i * STEP;
    multiply(A, ANCHOR_T_SQUARED, step + 2 * ELEMENT);
    subtract(DENOMINATORS + i * ELEMENT, step + ELEMENT, A);
  }
  invertAll(DENOMINATORS, count, ANCHOR_S);
  for (let i: usize = 0; i < usize(count); i++) {
    const step = steps + i * STEP, inverse = DENOMINATORS + i * ELEMENT;
    add(A, ANCHOR_R, step);
    multiply(A, A, inverse);
    store<u64>(KEYS + 16 * i, keyOf(A), 0);
    subtract(A, ANCHOR_R, step);
    multiply(A, A, inverse);
    store<u64>(KEYS + 16 * i, keyOf(A), 8);
  }
}

/** 63 bits of the even one of ±element. One of them is even, because p is odd. */
@inline
function keyOf(element: usize): u64 {
  const low = lowWord(element);
  return ((low & 1) !== 0 ? 0xffffffffffffffed - low : low) >> 1;
}

/** Zero marks an empty slot. */
@inline
function fingerprintOf(key: u64): u8 {
  const bits = u32(key & 0xff);
  return u8(bits | u32(bits === 0));
}

@inline
function bucketOf(key: u64): usize {
  return usize(key >> 8) & (BUCKETS - 1);
}

@inline
function entryOf(key: u64, value: u32): u32 {
  return (u32(key >> 26) << VALUE_BITS) | value;
}

/** Fills the table, which takes half a second. */
export function buildTable(generator: usize): void {
  memory.fill(TABLE, 0, TABLE_LENGTH);
  setIdentity(POINTS);
  invertNorms(1);
  readInvariants(0);
  pairKeys(BABY_UNITS, 0, BATCH);
  for (let j = 0; j < BATCH; j++) insert(load<u64>(KEYS + 16 * usize(j)), j);

  // The anchors have a distance of two reaches, and each covers one reach on both sides.
  const reach = BATCH - 1, spacing = 2 * reach + 1;
  toAddend(ADDEND, generator);
  setIdentity(POINTS);
  for (let i = 0; i < spacing; i++) addTo(POINTS, ADDEND);
  toAddend(ADDEND, POINTS);
  for (let middle = spacing; middle - reach < i32(BABY_STEPS); middle += spacing) {
    invertNorms(1);
    readInvariants(0);
    pairKeys(BABY_UNITS, 0, BATCH);
    for (let i = 0; i < BATCH; i++) {
      const keys = KEYS + 16 * usize(i);
      if (middle + i < i32(BABY_STEPS)) insert(load<u64>(keys, 0), middle + i);
      if (i > 0 && middle - i < i32(BABY_STEPS)) insert(load<u64>(keys, 8), middle - i);
    }
    addTo(POINTS, ADDEND);
  }
}

function insert(key: u64, value: i32): void {
  let slot = SLOTS * bucketOf(key);
  while (load<u8>(TABLE + slot) !== 0) slot = slot < BUCKETS * SLOTS - 1 ? slot + 1 : 0;
  store<u8>(TABLE + slot, fingerprintOf(key));
  store<u32>(ENTRIES + 4 * slot, entryOf(key, u32(value)));
}

let sought: usize = 0;
let bound: i64 = 0;

/** The x with x·G = point and 0 ≤ x < 2^bits, for bits of 1 to 32, or -1 if there is none. */
export function logarithm(point: usize, bits: i32): i64 {
  sought = point;
  bound = i64(1) << bits;
  const isWide = bound > BABY_STEPS, isStaged = bits > EARLY_BITS;
  copyLessMiddle(0, 0);
  if (isWide) copyLessMiddle(1, bits);
  if (isStaged) copyLessMiddle(2, EARLY_BITS);
  invertNorms(1 + i32(isWide) + i32(isStaged));

  readInvariants(0);
  let found = lookUp(keyOf(ANCHOR_T), 0);
  if (found < 0 && isStaged) found = searchAround(2, EARLY_BITS);
  if (found < 0 && isWide) found = searchAround(1, bits);
  return found;
}

/** Writes the sought point minus 2^(bits - 1)·G to POINTS; the sought point itself if bits is 0. */
function copyLessMiddle(index: i32, bits: i32): void {
  const point = POINTS + usize(index) * POINT;
  memory.copy(point, sought, POINT);
  if (bits === 0) return;
  negateAddendIf(-1, ADDEND, powerOfTwo(bits - 1));
  addTo(point, ADDEND);
}

/** Searches [0, 2^bits) outwards from its middle. One of POINTS is the sought point minus the middle. */
function searchAround(index: i32, bits: i32): i64 {
  readInvariants(index);
  const middle = i64(1) << (bits - 1);
  const count = i32((middle - BABY_STEPS + STRIDE) / STRIDE) + 1;
  for (let from = 0; from < count; from += SEARCH_BATCH) {
    const size = min(SEARCH_BATCH, count - from);
    pairKeys(GIANT_STEPS, from, size);
    for (let i = 0; i < size; i++) {
      // The point minus the middle, plus k·STRIDE·G, is ±j·G.
      const offset = i64(from + i) * STRIDE, keys = KEYS + 16 * usize(i);
      let found = lookUp(load<u64>(keys, 0), middle - offset);
      if (found < 0) found = lookUp(load<u64>(keys, 8), middle + offset);
      if (found >= 0) return found;
    }
  }
  return -1;
}

/** The logarithm that differs from a middle by a value that the table has for the key, or -1. */
@inline
function lookUp(key: u64, middle: i64): i64 {
  const slots = v128.load(TABLE + SLOTS * bucketOf(key));
  const equal = i8x16.eq(slots, i8x16.splat(fingerprintOf(key)));
  // Uses one branch that is rarely taken, so that the reads of many look-ups overlap.
  return v128.any_true(equal) || i8x16.all_true(slots) ? examine(key, middle) : -1;
}

function examine(key: u64, middle: i64): i64 {
  const fingerprint = fingerprintOf(key), start = entryOf(key, 0);
  let slot = SLOTS * bucketOf(key);
  while (true) {
    const known = load<u8>(TABLE + slot);
    if (known === 0) return -1;
    const value = load<u32>(ENTRIES + 4 * slot) ^ start;
    if (known === fingerprint && value < u32(BABY_STEPS)) {
      if (isSought(middle + i64(value))) return middle + i64(value);
      if (isSought(middle - i64(value))) return middle - i64(value);
    }
    slot = slot < BUCKETS * SLOTS - 1 ? slot + 1 : 0;
  }
}

function isSought(x: i64): bool {
  return x >= 0 && x < bound && isMultipleOfGenerator(u32(x), sought);
}

/** Erases everything that reveals the last value. */
export function eraseLogarithm(): void {
  memory.fill(POINTS, 0, 3 * POINT);
  memory.fill(NORMS, 0, 3 * ELEMENT);
  memory.fill(DENOMINATORS, 0, usize(SEARCH_BATCH) * ELEMENT);
  memory.fill(PREFIXES, 0, usize(SEARCH_BATCH) * ELEMENT);
  memory.fill(KEYS, 0, usize(SEARCH_BATCH) * 16);
  memory.fill(ANCHOR, 0, 4 * ELEMENT);
  memory.fill(SCRATCH, 0, 3 * ELEMENT);
}
