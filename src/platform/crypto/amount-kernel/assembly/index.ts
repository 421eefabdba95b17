// The amount kernel: the exports of `amount-kernel.wasm`. One instance serves one thread, with one call at a time.

import { eraseField } from './field';
import { buildTable, eraseLogarithm, logarithm, prepareLogarithm, TABLE, TABLE_LENGTH } from './logarithm';
import { addTo, decode, erasePoints, negateAddendIf, POINT, preparePoints, toAddend } from './point';
import { eraseSecret, multiplyBySecret, readSecret, SECRET } from './secret-multiplication';

/** The caller writes the 32 bytes of the secret here before `takeSecret`. */
export const secretAt: usize = SECRET;
/** The caller writes two ciphertexts here before `decryptAmount`: commitment and handle of lo, then of hi. */
export const ciphertextAt: usize = memory.data(128, 16);
/** `decryptAmount` writes lo and hi here, 32 bits each. */
export const amountAt: usize = memory.data(8, 16);
/** The table, which `buildTable` fills or the caller copies here. */
export const tableAt: usize = TABLE;
export const tableLength: usize = TABLE_LENGTH;

const GENERATOR: usize = memory.data(144, 16);
const COMMITMENTS: usize = memory.data(2 * 144, 16);
const HANDLES: usize = memory.data(2 * 144, 16);
const MULTIPLE: usize = memory.data(144, 16);

/** Allocates memory and computes constants. Call it once, before anything else. */
export function prepare(): void {
  preparePoints(GENERATOR);
  prepareLogarithm(GENERATOR);
}

export function build(): void {
  buildTable(GENERATOR);
}

/** Reads the secret. Returns false unless it is a canonical scalar other than zero. */
export function takeSecret(): bool {
  return readSecret();
}

/** Decrypts the ciphertexts with the secret. Returns false if they are undecryptable. */
export function decryptAmount(loBits: i32, hiBits: i32): bool {
  for (let i: usize = 0; i < 2; i++) {
    if (!decode(COMMITMENTS + i * POINT, ciphertextAt + 64 * i)) return false;
    if (!decode(HANDLES + i * POINT, ciphertextAt + 64 * i + 32)) return false;
  }
  // Solves the narrow part first: with a wrong key, it already fails after one look-up in the table.
  const lo = decryptPart(0, loBits);
  if (lo < 0) return false;
  const hi = decryptPart(1, hiBits);
  if (hi < 0) return false;
  store<u32>(amountAt, u32(lo), 0);
  store<u32>(amountAt, u32(hi), 4);
  return true;
}

/** The x with x·G = C - s·D, or -1. */
function decryptPart(part: usize, bits: i32): i64 {
  const commitment = COMMITMENTS + part * POINT,
    handle = HANDLES + part * POINT;
  multiplyBySecret(MULTIPLE, handle);
  toAddend(handle, MULTIPLE);
  negateAddendIf(-1, handle, handle);
  addTo(commitment, handle);
  return logarithm(commitment, bits);
}

/** Erases the secret, all values computed from it, and the last ciphertexts and amount. */
export function erase(): void {
  memory.fill(ciphertextAt, 0, 128);
  memory.fill(amountAt, 0, 8);
  memory.fill(COMMITMENTS, 0, 2 * POINT);
  memory.fill(HANDLES, 0, 2 * POINT);
  memory.fill(MULTIPLE, 0, POINT);
  eraseSecret();
  eraseLogarithm();
  erasePoints();
  eraseField();
}
