// The proof kernel: the exports of `proof-kernel.wasm`. One instance serves one key and one thread, with one call at a time.
// Groth16 over alt_bn128 (ePrint 2016/260). Proofs are checked together with random weights (ePrint 2012/352, section 3):
//   Π e(wᵢ·Aᵢ, Bᵢ) · e(−Σwᵢ·α, β) · e(−ΣΣ wᵢ·sᵢⱼ·ICⱼ, γ) · e(−Σ wᵢ·Cᵢ, δ) = 1

import { CHECKED, ELEMENTS, ELEMENT_COUNT, GENERATOR, ONES, TEST_FACTORS, TEST_PRODUCT } from './constants';
import { prepareMultiples, setMultiple } from './checked';
import { allocate, copy, isZero, scale, scratch, spread, subtract } from './element';
import { multiply, multiplyLanes, normalize } from './field';
import { invertAllLanes } from './inversion';
import { LINES, POINT_OF_TWIST, prepareLines, reserveLines } from './lines';
import { FAULT, FINITE, INFINITE, JACOBIAN, makeTables, multiplyTwo, reserveMultiples, sumOf, TABLE, takeBlinds } from './multiples';
import { isOneAfterExponentiation, millerLoop } from './pairing';
import { readG1, readG2 } from './points';
import { TOWER } from './tower';

/** Maximum number of proofs that can be checked together. */
export const maxProofs: i32 = 64;
const MAX_PROOFS: i32 = 64;
/** Octal digits in each half of a weight, and of a scalar. */
export const weightDigits: i32 = 22;
const WEIGHT: i32 = 22;
export const scalarDigits: i32 = 43;
const SCALAR: i32 = 43;

/** The caller writes a proof here before `takeProof`: A | B | C, 64, 128 and 64 bytes. */
export const proofAt: usize = memory.data(256, 16);
/** The caller writes the key here before `takeKey`: β | γ | δ, 128 bytes each, then α and the points of IC, 64 bytes each. */
export let keyAt: usize = 0;
/** The numbers of the proofs to check together, one byte each. */
export const chosenAt: usize = memory.data(64);
/** The weights of the chosen proofs, both halves of each, one byte per digit. */
export const weightsAt: usize = memory.data(64 * 44);
/** The scalars of α and of the points of IC, both halves of each. */
export let scalarsAt: usize = 0;
/** After `prepareProofs`, one byte per proof: whether B is in the subgroup. */
export const validAt: usize = memory.data(64);

let points: i32 = 0;
let KEY_TABLES: usize = 0, KEY_POINTS: usize = 0, KEY_LINES: usize = 0, KEY_ADDRESSES: usize = 0;
let A: usize = 0, B: usize = 0, C: usize = 0, TABLES_A: usize = 0, TABLES_C: usize = 0, PROOF_LINES: usize = 0;
let MULTIPLES: usize = 0, DENOMINATORS: usize = 0, PRODUCTS: usize = 0, EVALUATIONS: usize = 0, ADDRESSES: usize = 0;
const PRODUCT: usize = memory.data(480, 16);

/** Allocates memory for a key with this number of public signals. Call it once, before anything else. */
export function prepare(signals: i32): void {
  if (CHECKED) {
    prepareMultiples();
    for (let i = 0; i < ELEMENT_COUNT; i++) setMultiple(ELEMENTS + i * 80, 1);
  }
  points = signals + 2;
  keyAt = allocate(3 * 128 + points * 64);
  scalarsAt = allocate(points * 2 * SCALAR);
  KEY_POINTS = allocate(points * 80);
  KEY_TABLES = allocate(points * TABLE);
  KEY_ADDRESSES = allocate(points * 4);
  KEY_LINES = allocate(3 * LINES);
  A = allocate(MAX_PROOFS * 80);
  B = allocate(MAX_PROOFS * POINT_OF_TWIST);
  C = allocate(MAX_PROOFS * 80);
  TABLES_A = allocate(MAX_PROOFS * TABLE);
  TABLES_C = allocate(MAX_PROOFS * TABLE);
  PROOF_LINES = allocate(MAX_PROOFS * LINES);
  MULTIPLES = allocate((MAX_PROOFS / 2 + 3) * JACOBIAN);
  DENOMINATORS = allocate((MAX_PROOFS / 2 + 3) * 80);
  PRODUCTS = allocate((MAX_PROOFS / 2 + 3) * 80);
  EVALUATIONS = allocate((MAX_PROOFS + 3) * 160);
  ADDRESSES = allocate((MAX_PROOFS + 3) * 4);
  reserveLines(MAX_PROOFS);
  reserveMultiples(MAX_PROOFS);
}

/** Whether a fused multiply-add rounds only once. Otherwise, all results would be wrong. */
export function isExact(): bool {
  const t = scratch(60);
  multiply(t, TEST_FACTORS, TEST_FACTORS + 80);
  subtract(t, t, TEST_PRODUCT);
  normalize(t, t);
  return isZero(t);
}

/**
 * Reads two random weights from `weightsAt`, which stay secret: sums begin with these multiples of (1, 2). If it returns false,
 * use others.
 */
export function takeSecret(): bool {
  makeTables(GENERATOR, 1, TABLES_A);
  multiplyTwo(TABLES_A, weightsAt, TABLES_A, weightsAt + 2 * WEIGHT, WEIGHT, MULTIPLES);
  return takeBlinds(MULTIPLES, WEIGHT, SCALAR);
}

/** Reads the key. Returns false unless all its points are in their groups. */
export function takeKey(): bool {
  for (let i = 0; i < 3; i++) if (!readG2(B + i * POINT_OF_TWIST, keyAt + i * 128)) return false;
  prepareLines(B, 3, KEY_LINES, validAt);
  for (let i = 0; i < 3; i++) if (load<u8>(validAt + i) == 0) return false;
  for (let i = 0; i < points; i++) {
    if (!readG1(KEY_POINTS + i * 80, keyAt + 3 * 128 + i * 64)) return false;
    store<u32>(KEY_ADDRESSES + 4 * i, <u32>(KEY_TABLES + i * TABLE));
  }
  for (let i = 0; i < points; i += MAX_PROOFS)
    makeTables(KEY_POINTS + i * 80, min(points - i, MAX_PROOFS), KEY_TABLES + i * TABLE);
  return true;
}

/** Reads a proof as number `at`. Returns false if a point is invalid. Whether B is in the subgroup is not checked yet. */
export function takeProof(at: i32): bool {
  return readG1(A + at * 80, proofAt) && readG1(C + at * 80, proofAt + 192) && readG2(B + at * POINT_OF_TWIST, proofAt + 64);
}

/** Prepares the first `count` proofs, and writes to `validAt` whether the B of each is in the subgroup. */
export function prepareProofs(count: i32): void {
  prepareLines(B, count, PROOF_LINES, validAt);
  makeTables(A, count, TABLES_A);
  makeTables(C, count, TABLES_C);
}

/** Whether the chosen proofs are valid together: 1 or 0; −1 if that could not be computed. */
export function holds(count: i32): i32 {
  if (!isExact()) return FAULT;
  const pairs = (count + 1) >> 1;
  for (let i = 0; i < count; i += 2) {
    const j = i + 1 < count ? i + 1 : i;
    multiplyTwo(TABLES_A + <i32>load<u8>(chosenAt + i) * TABLE, weightsAt + i * 2 * WEIGHT,
      TABLES_A + <i32>load<u8>(chosenAt + j) * TABLE, weightsAt + j * 2 * WEIGHT, WEIGHT, MULTIPLES + (i >> 1) * JACOBIAN);
  }
  const sums = MULTIPLES + pairs * JACOBIAN;
  for (let i = 0; i < count; i++) store<u32>(ADDRESSES + 4 * i, <u32>(TABLES_C + <i32>load<u8>(chosenAt + i) * TABLE));
  const ofC = sumOf(ADDRESSES, count, weightsAt, WEIGHT, 0, sums + 2 * JACOBIAN);
  const ofAlpha = sumOf(KEY_ADDRESSES, 1, scalarsAt, SCALAR, 1, sums);
  const ofIc = sumOf(KEY_ADDRESSES + 4, points - 1, scalarsAt + 2 * SCALAR, SCALAR, 1, sums + JACOBIAN);
  if (ofC == FAULT || ofAlpha == FAULT || ofIc == FAULT) return FAULT;
  for (let i = 0; i < count; i++) store<u32>(ADDRESSES + 4 * i, <u32>(PROOF_LINES + <i32>load<u8>(chosenAt + i) * LINES));
  leaveOut(count, 0, ofAlpha, sums);
  leaveOut(count, 1, ofIc, sums);
  leaveOut(count, 2, ofC, sums);
  evaluate(count, pairs);
  millerLoop(PRODUCT, count + 3, ADDRESSES, EVALUATIONS);
  return isOneAfterExponentiation(PRODUCT) ? 1 : 0;
}

/**
 * The pairing of the point at infinity is one, so a sum that is that point is left out. Other sums are paired with their point
 * of the key.
 */
function leaveOut(count: i32, sum: i32, found: i32, sums: usize): void {
  store<u32>(ADDRESSES + 4 * (count + sum), found == FINITE ? <u32>(KEY_LINES + sum * LINES) : 0);
  if (found == INFINITE) for (let c = 0; c < JACOBIAN; c += 80) copy(sums + sum * JACOBIAN + c, ONES);
}

/** (−x/y, 1/y) = (−X·Z/Y, Z³/Y) of all multiples: those of A in pairs, then the sums. In G1, no y is zero. */
function evaluate(count: i32, pairs: i32): void {
  for (let i = 0; i < pairs + 3; i++) copy(DENOMINATORS + i * 80, MULTIPLES + i * JACOBIAN + 80);
  invertAllLanes(DENOMINATORS, pairs + 3, PRODUCTS);
  const t = scratch(61), x = scratch(62), y = scratch(63);
  for (let i = 0; i < pairs + 3; i++) {
    const X = MULTIPLES + i * JACOBIAN, Z = X + 160;
    multiplyLanes(t, Z, DENOMINATORS + i * 80);
    multiplyLanes(x, X, t);
    scale(x, x, -1);
    multiplyLanes(y, Z, Z);
    multiplyLanes(y, y, t);
    const first = i < pairs ? 2 * i : count + i - pairs;
    for (let lane = 0; lane < (i < pairs ? 2 : 1) && (i >= pairs || first + lane < count); lane++) {
      const evaluation = EVALUATIONS + (first + lane) * 160;
      spread(evaluation, x, lane);
      spread(evaluation + 80, y, lane);
    }
  }
}
