// Multiplies a point by the secret. The secret is 64 signed digits of 4 bits, -8 to 7, and each step adds an entry of a window
// table. The entry and its sign depend on the secret, so every step reads the whole table and computes both signs: neither a
// branch nor an address depends on a digit.

import { addTo, double, negateAddendIf, POINT, setIdentity, toAddend } from './point';

export const SECRET: usize = memory.data(32, 16);
const DIGITS: usize = memory.data(64, 16);
/** 0·P to 8·P as addends. */
const WINDOW: usize = memory.data(9 * 144, 16);
const SELECTED: usize = memory.data(144, 16);
const MULTIPLE: usize = memory.data(144, 16);

const DIGIT_COUNT = 64;
const WINDOW_SIZE: i32 = 9;

/**
 * Converts the 32 little-endian bytes at SECRET to digits. Returns false unless they are a canonical scalar other than zero.
 */
export function readSecret(): bool {
  let digitCarry: i32 = 0;
  for (let i = 0; i < DIGIT_COUNT; i++) {
    const byte = i32(load<u8>(SECRET + usize(i >> 1)));
    let digit = ((byte >> (4 * (i & 1))) & 15) + digitCarry;
    digitCarry = (digit + 8) >> 4;
    digit -= digitCarry << 4;
    store<i8>(DIGITS + usize(i), i8(digit));
  }
  const nonZero = load<u64>(SECRET, 0) | load<u64>(SECRET, 8) | load<u64>(SECRET, 16) | load<u64>(SECRET, 24);
  return i32(nonZero !== 0) & isBelowOrder() ? true : false;
}

/** Whether the number at SECRET is below 2^252 + 27742317777372353535851937790883648493. Computed by a subtraction. */
function isBelowOrder(): i32 {
  let borrow = borrowOf(load<u64>(SECRET, 0), 0x5812631a5cf5d3ed, 0);
  borrow = borrowOf(load<u64>(SECRET, 8), 0x14def9dea2f79cd6, borrow);
  borrow = borrowOf(load<u64>(SECRET, 16), 0, borrow);
  return i32(borrowOf(load<u64>(SECRET, 24), 0x1000000000000000, borrow));
}

@inline
function borrowOf(a: u64, b: u64, borrow: u64): u64 {
  const difference = a - b;
  return u64(a < b) | u64(difference < borrow);
}

/** Multiplies the point by the secret. `out` must not be the point. */
export function multiplyBySecret(out: usize, point: usize): void {
  fillWindow(point);
  setIdentity(out);
  for (let i = DIGIT_COUNT - 1; i >= 0; i--) {
    if (i < DIGIT_COUNT - 1) {
      double(out, false);
      double(out, false);
      double(out, false);
      double(out, true);
    }
    select(i32(load<i8>(DIGITS + usize(i))));
    addTo(out, SELECTED);
  }
}

function fillWindow(point: usize): void {
  setIdentity(MULTIPLE);
  toAddend(WINDOW, MULTIPLE);
  memory.copy(MULTIPLE, point, POINT);
  for (let i = 1; i < WINDOW_SIZE; i++) {
    toAddend(WINDOW + usize(i) * POINT, MULTIPLE);
    if (i < WINDOW_SIZE - 1) addTo(MULTIPLE, WINDOW + POINT);
  }
}

function select(digit: i32): void {
  const sign = digit >> 31;
  const size = (digit ^ sign) - sign;
  let r0 = i32x4.splat(0), r1 = r0, r2 = r0, r3 = r0, r4 = r0, r5 = r0, r6 = r0, r7 = r0, r8 = r0;
  for (let i = 0; i < WINDOW_SIZE; i++) {
    const entry = WINDOW + usize(i) * POINT;
    const mask = i32x4.eq(i32x4.splat(i), i32x4.splat(size));
    r0 = v128.or(r0, v128.and(mask, v128.load(entry, 0)));
    r1 = v128.or(r1, v128.and(mask, v128.load(entry, 16)));
    r2 = v128.or(r2, v128.and(mask, v128.load(entry, 32)));
    r3 = v128.or(r3, v128.and(mask, v128.load(entry, 48)));
    r4 = v128.or(r4, v128.and(mask, v128.load(entry, 64)));
    r5 = v128.or(r5, v128.and(mask, v128.load(entry, 80)));
    r6 = v128.or(r6, v128.and(mask, v128.load(entry, 96)));
    r7 = v128.or(r7, v128.and(mask, v128.load(entry, 112)));
    r8 = v128.or(r8, v128.and(mask, v128.load(entry, 128)));
  }
  v128.store(SELECTED, r0, 0);
  v128.store(SELECTED, r1, 16);
  v128.store(SELECTED, r2, 32);
  v128.store(SELECTED, r3, 48);
  v128.store(SELECTED, r4, 64);
  v128.store(SELECTED, r5, 80);
  v128.store(SELECTED, r6, 96);
  v128.store(SELECTED, r7, 112);
  v128.store(SELECTED, r8, 128);
  negateAddendIf(sign, SELECTED, SELECTED);
}

export function eraseSecret(): void {
  memory.fill(SECRET, 0, 32);
  memory.fill(DIGITS, 0, 64);
  memory.fill(WINDOW, 0, usize(WINDOW_SIZE) * POINT);
  memory.fill(SELECTED, 0, POINT);
  memory.fill(MULTIPLE, 0, POINT);
}
