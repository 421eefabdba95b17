// The field of 2^255 - 19. An element has nine limbs of 29 bits, the last of 23 bits. Each limb is a signed 32-bit integer, so
// an element has 36 bytes.
//
// `multiply`, `square` and `fromBytes` write reduced elements: a limb has an absolute value of at most 2^28 (2^22 for the
// last). Sums and differences are not carried, so their limbs grow with the number of terms. In a product of sums of m and n
// reduced elements, m·n must be at most 14, and in a square m must be at most 3, so that a column stays below 2^63.

export const ELEMENT: usize = 36;

const MASK: i64 = 0x1fffffff;
const HALF: i64 = 0x10000000;

export function multiply(out: usize, a: usize, b: usize): void {
  const a0 = i64(load<i32>(a, 0)), b0 = i64(load<i32>(b, 0));
  const a1 = i64(load<i32>(a, 4)), b1 = i64(load<i32>(b, 4));
  const a2 = i64(load<i32>(a, 8)), b2 = i64(load<i32>(b, 8));
  const a3 = i64(load<i32>(a, 12)), b3 = i64(load<i32>(b, 12));
  const a4 = i64(load<i32>(a, 16)), b4 = i64(load<i32>(b, 16));
  const a5 = i64(load<i32>(a, 20)), b5 = i64(load<i32>(b, 20));
  const a6 = i64(load<i32>(a, 24)), b6 = i64(load<i32>(b, 24));
  const a7 = i64(load<i32>(a, 28)), b7 = i64(load<i32>(b, 28));
  const a8 = i64(load<i32>(a, 32)), b8 = i64(load<i32>(b, 32));
  reduce(
    out,
    a0 * b0,
    a0 * b1 + a1 * b0,
    a0 * b2 + a1 * b1 + a2 * b0,
    a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0,
    a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0,
    a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0,
    a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0,
    a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0,
    a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0,
    a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1,
    a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2,
    a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3,
    a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4,
    a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5,
    a6 * b8 + a7 * b7 + a8 * b6,
    a7 * b8 + a8 * b7,
    a8 * b8,
  );
}

export function square(out: usize, a: usize): void {
  const a0 = i64(load<i32>(a, 0)), d0 = a0 << 1;
  const a1 = i64(load<i32>(a, 4)), d1 = a1 << 1;
  const a2 = i64(load<i32>(a, 8)), d2 = a2 << 1;
  const a3 = i64(load<i32>(a, 12)), d3 = a3 << 1;
  const a4 = i64(load<i32>(a, 16)), d4 = a4 << 1;
  const a5 = i64(load<i32>(a, 20)), d5 = a5 << 1;
  const a6 = i64(load<i32>(a, 24)), d6 = a6 << 1;
  const a7 = i64(load<i32>(a, 28)), d7 = a7 << 1;
  const a8 = i64(load<i32>(a, 32));
  reduce(
    out,
    a0 * a0,
    d0 * a1,
    d0 * a2 + a1 * a1,
    d0 * a3 + d1 * a2,
    d0 * a4 + d1 * a3 + a2 * a2,
    d0 * a5 + d1 * a4 + d2 * a3,
    d0 * a6 + d1 * a5 + d2 * a4 + a3 * a3,
    d0 * a7 + d1 * a6 + d2 * a5 + d3 * a4,
    d0 * a8 + d1 * a7 + d2 * a6 + d3 * a5 + a4 * a4,
    d1 * a8 + d2 * a7 + d3 * a6 + d4 * a5,
    d2 * a8 + d3 * a7 + d4 * a6 + a5 * a5,
    d3 * a8 + d4 * a7 + d5 * a6,
    d4 * a8 + d5 * a7 + a6 * a6,
    d5 * a8 + d6 * a7,
    d6 * a8 + a7 * a7,
    d7 * a8,
    a8 * a8,
  );
}

/** Reduces the 17 columns of a product to nine limbs: 2^261 is 2^6 · 19 = 1216. */
@inline
function reduce(
  out: usize,
  c0: i64, c1: i64, c2: i64, c3: i64, c4: i64, c5: i64, c6: i64, c7: i64, c8: i64,
  c9: i64, c10: i64, c11: i64, c12: i64, c13: i64, c14: i64, c15: i64, c16: i64,
): void {
  c10 += c9 >> 29; c0 += (c9 & MASK) * 1216;
  c11 += c10 >> 29; c1 += (c10 & MASK) * 1216;
  c12 += c11 >> 29; c2 += (c11 & MASK) * 1216;
  c13 += c12 >> 29; c3 += (c12 & MASK) * 1216;
  c14 += c13 >> 29; c4 += (c13 & MASK) * 1216;
  c15 += c14 >> 29; c5 += (c14 & MASK) * 1216;
  c16 += c15 >> 29; c6 += (c15 & MASK) * 1216;
  c8 += (c16 >> 29) * 1216; c7 += (c16 & MASK) * 1216;
  carry(out, c0, c1, c2, c3, c4, c5, c6, c7, c8);
}

/** Writes nine columns as limbs. Each carries into the next, and the last into the first: 2^255 is 19. */
@inline
function carry(
  out: usize,
  c0: i64, c1: i64, c2: i64, c3: i64, c4: i64, c5: i64, c6: i64, c7: i64, c8: i64,
): void {
  c0 += HALF; c1 += c0 >> 29; c0 = (c0 & MASK) - HALF;
  c1 += HALF; c2 += c1 >> 29; c1 = (c1 & MASK) - HALF;
  c2 += HALF; c3 += c2 >> 29; store<i32>(out, i32((c2 & MASK) - HALF), 8);
  c3 += HALF; c4 += c3 >> 29; store<i32>(out, i32((c3 & MASK) - HALF), 12);
  c4 += HALF; c5 += c4 >> 29; store<i32>(out, i32((c4 & MASK) - HALF), 16);
  c5 += HALF; c6 += c5 >> 29; store<i32>(out, i32((c5 & MASK) - HALF), 20);
  c6 += HALF; c7 += c6 >> 29; store<i32>(out, i32((c6 & MASK) - HALF), 24);
  c7 += HALF; c8 += c7 >> 29; store<i32>(out, i32((c7 & MASK) - HALF), 28);
  c8 += 0x400000; store<i32>(out, i32((c8 & 0x7fffff) - 0x400000), 32);
  c0 += (c8 >> 23) * 19 + HALF; c1 += c0 >> 29;
  store<i32>(out, i32((c0 & MASK) - HALF), 0);
  store<i32>(out, i32(c1), 4);
}

export function add(out: usize, a: usize, b: usize): void {
  store<i32>(out, load<i32>(a, 0) + load<i32>(b, 0), 0);
  store<i32>(out, load<i32>(a, 4) + load<i32>(b, 4), 4);
  store<i32>(out, load<i32>(a, 8) + load<i32>(b, 8), 8);
  store<i32>(out, load<i32>(a, 12) + load<i32>(b, 12), 12);
  store<i32>(out, load<i32>(a, 16) + load<i32>(b, 16), 16);
  store<i32>(out, load<i32>(a, 20) + load<i32>(b, 20), 20);
  store<i32>(out, load<i32>(a, 24) + load<i32>(b, 24), 24);
  store<i32>(out, load<i32>(a, 28) + load<i32>(b, 28), 28);
  store<i32>(out, load<i32>(a, 32) + load<i32>(b, 32), 32);
}

export function subtract(out: usize, a: usize, b: usize): void {
  store<i32>(out, load<i32>(a, 0) - load<i32>(b, 0), 0);
  store<i32>(out, load<i32>(a, 4) - load<i32>(b, 4), 4);
  store<i32>(out, load<i32>(a, 8) - load<i32>(b, 8), 8);
  store<i32>(out, load<i32>(a, 12) - load<i32>(b, 12), 12);
  store<i32>(out, load<i32>(a, 16) - load<i32>(b, 16), 16);
  store<i32>(out, load<i32>(a, 20) - load<i32>(b, 20), 20);
  store<i32>(out, load<i32>(a, 24) - load<i32>(b, 24), 24);
  store<i32>(out, load<i32>(a, 28) - load<i32>(b, 28), 28);
  store<i32>(out, load<i32>(a, 32) - load<i32>(b, 32), 32);
}

/** Negates if the mask is -1, and copies if it is 0, with the same instructions. */
export function negateIf(mask: i32, out: usize, a: usize): void {
  for (let limb: usize = 0; limb < ELEMENT; limb += 4) {
    store<i32>(out + limb, (load<i32>(a + limb) ^ mask) - mask);
  }
}

// Does not use `memory.copy` and `memory.fill`, whose overhead is too large for so few bytes.
export function copy(out: usize, a: usize): void {
  for (let limb: usize = 0; limb < ELEMENT; limb += 4) store<i32>(out + limb, load<i32>(a + limb));
}

/** Writes a small integer. */
export function set(out: usize, value: i32): void {
  store<i32>(out, value);
  for (let limb: usize = 4; limb < ELEMENT; limb += 4) store<i32>(out + limb, 0);
}

/** Reads 32 little-endian bytes; the highest bit is ignored. */
export function fromBytes(out: usize, bytes: usize): void {
  const w0 = load<u64>(bytes, 0), w1 = load<u64>(bytes, 8), w2 = load<u64>(bytes, 16), w3 = load<u64>(bytes, 24);
  carry(
    out,
    i64(w0) & MASK,
    i64(w0 >> 29) & MASK,
    i64((w0 >> 58) | (w1 << 6)) & MASK,
    i64(w1 >> 23) & MASK,
    i64((w1 >> 52) | (w2 << 12)) & MASK,
    i64(w2 >> 17) & MASK,
    i64((w2 >> 46) | (w3 << 18)) & MASK,
    i64(w3 >> 11) & MASK,
    i64(w3 >> 40) & 0x7fffff,
  );
}

/** The quotient of a and p, rounded down. Exact for a sum of four reduced elements. */
@inline
function quotient(a: usize): i64 {
  let q = (19 * i64(load<i32>(a, 32)) + 0x400000) >> 23;
  q = (i64(load<i32>(a, 0)) + q) >> 29;
  q = (i64(load<i32>(a, 4)) + q) >> 29;
  q = (i64(load<i32>(a, 8)) + q) >> 29;
  q = (i64(load<i32>(a, 12)) + q) >> 29;
  q = (i64(load<i32>(a, 16)) + q) >> 29;
  q = (i64(load<i32>(a, 20)) + q) >> 29;
  q = (i64(load<i32>(a, 24)) + q) >> 29;
  q = (i64(load<i32>(a, 28)) + q) >> 29;
  return (i64(load<i32>(a, 32)) + q) >> 23;
}

/** The lowest 64 bits of the canonical representative. */
export function lowWord(a: usize): u64 {
  const q = quotient(a);
  const limbs = i64(load<i32>(a, 0)) + (i64(load<i32>(a, 4)) << 29) + (i64(load<i32>(a, 8)) << 58);
  return u64(limbs + 19 * q);
}

export function isOdd(a: usize): bool {
  return (lowWord(a) & 1) !== 0;
}

export function isZero(a: usize): bool {
  let c = 19 * quotient(a);
  let bits: i64 = 0;
  for (let limb: usize = 0; limb < 32; limb += 4) {
    c += i64(load<i32>(a + limb));
    bits |= c & MASK;
    c >>= 29;
  }
  bits |= (c + i64(load<i32>(a, 32))) & 0x7fffff;
  return bits === 0;
}

const T0: usize = memory.data(4 * 36, 16);
const T1: usize = T0 + ELEMENT;
const T2: usize = T1 + ELEMENT;
const T3: usize = T2 + ELEMENT;

function squareTimes(out: usize, a: usize, times: i32): void {
  square(out, a);
  for (let i = 1; i < times; i++) square(out, out);
}

/** Writes z^(2^250 - 1) to T1 and z^11 to T0. */
function powers(z: usize): void {
  square(T0, z);
  squareTimes(T1, T0, 2);
  multiply(T1, z, T1);
  multiply(T0, T0, T1);
  square(T2, T0);
  multiply(T1, T1, T2);
  squareTimes(T2, T1, 5);
  multiply(T1, T2, T1);
  squareTimes(T2, T1, 10);
  multiply(T2, T2, T1);
  squareTimes(T3, T2, 20);
  multiply(T2, T3, T2);
  squareTimes(T2, T2, 10);
  multiply(T1, T2, T1);
  squareTimes(T2, T1, 50);
  multiply(T2, T2, T1);
  squareTimes(T3, T2, 100);
  multiply(T2, T3, T2);
  squareTimes(T2, T2, 50);
  multiply(T1, T2, T1);
}

/** z^(p - 2), which is the inverse, or 0 for 0. */
export function invert(out: usize, z: usize): void {
  powers(z);
  squareTimes(T1, T1, 5);
  multiply(out, T1, T0);
}

/** z^((p - 5) / 8). `out` must not be z. */
export function powerForRoot(out: usize, z: usize): void {
  powers(z);
  squareTimes(T1, T1, 2);
  multiply(out, T1, z);
}

/** Erases intermediate values of the powers of secret elements. */
export function eraseField(): void {
  memory.fill(T0, 0, 4 * ELEMENT);
}
