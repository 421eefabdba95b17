import { mulAddUnsafe, normalizeZ } from '@noble/curves/abstract/curve.js';
import { bn254 } from '@noble/curves/bn254.js';
import { systemRandom, type Random } from '../../kernel/random.js';
import type { VerificationKey } from './groth16-key.js';
import {
  Fp12,
  Fr,
  G1,
  G1_LENGTH,
  G2_LENGTH,
  parseG1,
  parseG2,
  prepareG2,
  unsigned,
  type G2,
  type PreparedG2,
} from './groth16-points.js';

/** A has 64 bytes, B 128, C 64. */
const GROTH16_PROOF_LENGTH = 2 * G1_LENGTH + G2_LENGTH;
/** The order r of the groups. Public signals are integers below it. */
export const SCALAR_FIELD_ORDER: bigint = Fr.ORDER;

/** A proof whose points are valid. Whether it proves anything is not known yet. */
export interface Groth16Proof {
  readonly a: G1;
  readonly b: PreparedG2;
  readonly c: G1;
}

export interface Groth16Statement {
  readonly proof: Groth16Proof;
  /** Public signals, one for each point of the key's `ic` except the first. */
  readonly signals: readonly bigint[];
}

/** Parses a proof in the format of EIP-197 and Solana's alt_bn128 calls; `undefined` if a point is invalid. */
export function parseGroth16Proof(bytes: Uint8Array): Groth16Proof | undefined {
  if (bytes.length !== GROTH16_PROOF_LENGTH) return undefined;
  const a = parseG1(bytes.subarray(0, G1_LENGTH));
  const c = parseG1(bytes.subarray(G1_LENGTH + G2_LENGTH));
  if (!a || !c) return undefined;
  const b = parseG2(bytes.subarray(G1_LENGTH, G1_LENGTH + G2_LENGTH));
  return b && { a, b, c };
}

/** Parses a signal of 32 bytes, big-endian; `undefined` at r or above, which would be another encoding of the same value. */
export function parseSignal(bytes: Uint8Array): bigint | undefined {
  if (bytes.length !== 32) return undefined;
  const value = unsigned(bytes);
  return value < SCALAR_FIELD_ORDER ? value : undefined;
}

export interface Groth16Verifier {
  /** Number of public signals of a statement. */
  readonly signalCount: number;
  verify(statement: Groth16Statement): boolean;
  /** Which of them are valid. Checks all in one product of pairings, and halves of them if that fails. */
  verifyAll(statements: readonly Groth16Statement[]): boolean[];
}

/** Two points of a pairing. */
type Term = readonly [G1, PreparedG2];

/** Weights of 128 bits: a batch with an invalid statement passes with a probability of 2^-127. */
const WEIGHT_LENGTH = 16;

/**
 * A verifier for proofs of one circuit, with its key prepared: e(A, B) = e(α, β) · e(Σ sᵢ·ICᵢ, γ) · e(C, δ) (ePrint 2016/260,
 * section 3.2). Several proofs are checked as one random combination (ePrint 2012/352, section 3): Π e(wᵢ·Aᵢ, Bᵢ), with the
 * three constant points of G2 once for all of them.
 */
export function createGroth16Verifier(key: VerificationKey, random: Random = systemRandom): Groth16Verifier {
  const signalCount = key.ic.length - 1;
  const [beta, gamma, delta] = [prepare(key.beta), prepare(key.gamma), prepare(key.delta)];

  /** Whether the statements are valid together with these weights. */
  const holds = (statements: readonly Groth16Statement[], weights: readonly bigint[]): boolean => {
    const sum = weights.reduce((total, weight) => Fr.add(total, weight), 0n);
    const scalars = key.ic.map((_, column) =>
      statements.reduce((total, { signals }, at) => {
        const signal = column === 0 ? 1n : signals[column - 1]!;
        return Fr.add(total, Fr.mul(weights[at]!, signal));
      }, 0n),
    );
    const c = statements.map(({ proof }) => proof.c);
    // The equation with every term on one side.
    const terms: readonly Term[] = [
      ...statements.map(({ proof: { a, b } }, at): Term => [a.multiplyUnsafe(weights[at]!), b]),
      [combine([key.alpha], [sum]).negate(), beta],
      [combine(key.ic, scalars).negate(), gamma],
      [combine(c, weights).negate(), delta],
    ];
    return Fp12.eql(Fp12.finalExponentiate(bn254.millerLoopBatch(affinePairs(terms))), Fp12.ONE);
  };

  const verifyAll = (statements: readonly Groth16Statement[], isRefuted = false): boolean[] => {
    if (statements.length === 0) return [];
    const weights = statements.length === 1 ? [1n] : statements.map(() => weight(random));
    if (!isRefuted && holds(statements, weights)) return statements.map(() => true);
    if (statements.length === 1) return [false];
    const middle = statements.length >> 1;
    const first = verifyAll(statements.slice(0, middle));
    // If the first half is valid, the second half contains the invalid statement.
    return [...first, ...verifyAll(statements.slice(middle), first.every(Boolean))];
  };

  const requireShape = ({ signals }: Groth16Statement) => requireSignals(signals, signalCount);
  return {
    signalCount,
    verify(statement) {
      requireShape(statement);
      return holds([statement], [1n]);
    },
    verifyAll(statements) {
      statements.forEach(requireShape);
      return verifyAll(statements);
    },
  };
}

/** @throws {RangeError} for a wrong number of signals, or a signal outside of 0 to r − 1 */
export function requireSignals(signals: readonly bigint[], count: number): void {
  if (signals.length !== count || !signals.every((signal) => signal >= 0n && signal < SCALAR_FIELD_ORDER))
    throw new RangeError(`A statement has ${count} signals below r.`);
}

function prepare(point: G2): PreparedG2 {
  const prepared = prepareG2(point);
  if (!prepared) throw new TypeError('A point of the key is not in the subgroup.');
  return prepared;
}

/** The input of the Miller loop, with one inversion for all. The pairing of the point at infinity is one. */
function affinePairs(terms: readonly Term[]): Parameters<typeof bn254.millerLoopBatch>[0] {
  const finite = terms.filter(([point]) => !point.is0());
  const projective = finite.map(([point]) => point);
  return normalizeZ(G1, projective).map(({ x, y }, at) => [finite[at]![1], x, y]);
}

/** Σ kᵢ·Pᵢ with shared doublings. All values are public, so constant time is not needed. */
function combine(points: readonly G1[], scalars: readonly bigint[]): G1 {
  return mulAddUnsafe(G1, [...points], [...scalars]);
}

/** A weight, which is never zero. */
function weight(random: Random): bigint {
  return unsigned(random(WEIGHT_LENGTH)) | 1n;
}
