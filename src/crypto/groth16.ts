import { bn254 } from '@noble/curves/bn254.js';
import { systemRandom, type Random } from '../kernel/random.js';
import type { VerificationKey } from './groth16-key.js';
import { Fr, G1, G1_LENGTH, G2_LENGTH, parseG1, parseG2, unsigned, type G2 } from './groth16-points.js';

/** A 64 bytes, B 128, C 64. */
export const GROTH16_PROOF_LENGTH = 2 * G1_LENGTH + G2_LENGTH;
/** The order r of the groups: public signals are the integers below it. */
export const SCALAR_FIELD_ORDER: bigint = Fr.ORDER;

/** A proof whose points are points. That says nothing yet of what it proves. */
export interface Groth16Proof {
  readonly a: G1;
  readonly b: G2;
  readonly c: G1;
}

export interface Groth16Statement {
  readonly proof: Groth16Proof;
  /** Public signals, one for each point of the key’s `ic` but the first. */
  readonly signals: readonly bigint[];
}

/** A proof as EIP-197 and Solana’s alt_bn128 calls take its points; `undefined` when one of them is none. */
export function parseGroth16Proof(bytes: Uint8Array): Groth16Proof | undefined {
  if (bytes.length !== GROTH16_PROOF_LENGTH) return undefined;
  const a = parseG1(bytes.subarray(0, G1_LENGTH));
  const c = parseG1(bytes.subarray(G1_LENGTH + G2_LENGTH));
  if (!a || !c) return undefined;
  const b = parseG2(bytes.subarray(G1_LENGTH, G1_LENGTH + G2_LENGTH));
  return b && { a, b, c };
}

/** A signal of 32 bytes, big-endian; `undefined` at r or above, where it would be another text for the same value. */
export function parseSignal(bytes: Uint8Array): bigint | undefined {
  if (bytes.length !== 32) return undefined;
  const value = unsigned(bytes);
  return value < SCALAR_FIELD_ORDER ? value : undefined;
}

export interface Groth16Verifier {
  /** How many public signals a statement has. */
  readonly signalCount: number;
  verify(statement: Groth16Statement): boolean;
  /** Which of them hold: all in one product of pairings, and halves of them where that fails. */
  verifyAll(statements: readonly Groth16Statement[]): boolean[];
}

/** Points of G2 that never change are followed through the Miller loop once. */
type Prepared = ReturnType<typeof bn254.utils.calcPairingPrecomputes>;
type Pair = Parameters<typeof bn254.millerLoopBatch>[0][number];

/** Weights of 128 bits: a batch that holds a wrong statement passes with a chance of 2^-127. */
const WEIGHT_LENGTH = 16;

/**
 * A verifier of one circuit’s proofs, its key prepared: e(A, B) = e(α, β) · e(Σ sᵢ·ICᵢ, γ) · e(C, δ) (ePrint 2016/260,
 * section 3.2). Several are checked as one random combination (ePrint 2012/352, section 3): Π e(wᵢ·Aᵢ, Bᵢ) with the
 * three constant points of G2 once for all of them.
 */
export function createGroth16Verifier(key: VerificationKey, random: Random = systemRandom): Groth16Verifier {
  const signalCount = key.ic.length - 1;
  const [beta, gamma, delta] = [key.beta, key.gamma, key.delta].map(prepare) as [
    Prepared,
    Prepared,
    Prepared,
  ];

  /** Whether the statements hold together under these weights. */
  const holds = (statements: readonly Groth16Statement[], weights: readonly bigint[]): boolean => {
    // The equation with every term on one side; α, the signals and C are negated for it.
    const pairs = statements.map(({ proof }, at) => pair(proof.a.multiply(weights[at]!), prepare(proof.b)));
    const sum = weights.reduce((total, weight) => Fr.add(total, weight), 0n);
    const scalars = key.ic.map((_, column) =>
      statements.reduce((total, { signals }, at) => {
        const signal = column === 0 ? 1n : signals[column - 1]!;
        return Fr.add(total, Fr.mul(weights[at]!, signal));
      }, 0n),
    );
    const c = combine(
      statements.map(({ proof }) => proof.c),
      weights,
    );
    const constant = [
      [combine([key.alpha], [sum]), beta],
      [combine(key.ic, scalars), gamma],
      [c, delta],
    ] as const;
    // The point at infinity pairs to one.
    for (const [point, prepared] of constant) if (!point.is0()) pairs.push(pair(point.negate(), prepared));
    const { Fp12 } = bn254.fields;
    return Fp12.eql(Fp12.finalExponentiate(bn254.millerLoopBatch(pairs)), Fp12.ONE);
  };

  const verifyAll = (statements: readonly Groth16Statement[]): boolean[] => {
    if (statements.length === 0) return [];
    if (statements.length === 1) return [holds(statements, [1n])];
    if (
      holds(
        statements,
        statements.map(() => weight(random)),
      )
    )
      return statements.map(() => true);
    const middle = statements.length >> 1;
    return [...verifyAll(statements.slice(0, middle)), ...verifyAll(statements.slice(middle))];
  };

  const requireShape = ({ signals }: Groth16Statement) => {
    const fits = signals.length === signalCount;
    if (!fits || !signals.every((signal) => signal >= 0n && signal < SCALAR_FIELD_ORDER))
      throw new RangeError(`A statement has ${signalCount} signals below r.`);
  };
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

const prepare = (point: G2): Prepared => bn254.utils.calcPairingPrecomputes(point);

function pair(point: G1, prepared: Prepared): Pair {
  const { x, y } = point.toAffine();
  return [prepared, x, y];
}

/** Σ kᵢ·Pᵢ. What is summed is public: constant time would be for nothing. */
function combine(points: readonly G1[], scalars: readonly bigint[]): G1 {
  return points.reduce((sum, point, at) => sum.add(point.multiplyUnsafe(scalars[at]!)), G1.ZERO);
}

/** Never zero. */
function weight(random: Random): bigint {
  return unsigned(random(WEIGHT_LENGTH)) | 1n;
}
