import { bn254 } from '@noble/curves/bn254.js';
import type { VerificationKey } from '../proofs/groth16-key.js';
import { bytesOfG1, bytesOfG2 } from '../proofs/groth16-points.js';
import { SCALAR_FIELD_ORDER } from '../proofs/groth16.js';
import type { ProofBytes, ProofVerifier } from '../proofs/proof-verifier.js';

const { G1, G2 } = bn254;
const [P, Q] = [G1.Point.BASE, G2.Point.BASE];

/** A key of generators: with A = −P, B = Q and C = P, e(A, B) = e(P, Q)^(1 + (1 + s) + 1) holds only for s = −4. */
const KEY: VerificationKey = { alpha: P, beta: Q, gamma: Q, delta: Q, ic: [P, P] };
const PROOF = Buffer.concat([bytesOfG1(P.negate()), bytesOfG2(Q), bytesOfG1(P)]);
const withSignal = (signal: bigint): ProofBytes => ({ proof: PROOF, signals: [signal] });
const RIGHT = withSignal(SCALAR_FIELD_ORDER - 4n);
const WRONG = withSignal(SCALAR_FIELD_ORDER - 5n);

/** Throws if a verifier gives a wrong result for known proofs: all valid, one invalid, one whose points are invalid. */
export function requireRightVerdicts(create: (key: VerificationKey) => ProofVerifier): void {
  const verifier = create(KEY);
  const none = { ...RIGHT, proof: PROOF.with(63, PROOF[63]! ^ 1) };
  const cases: readonly (readonly [readonly ProofBytes[], readonly boolean[]])[] = [
    [[RIGHT], [true]],
    [
      [RIGHT, WRONG, none, RIGHT],
      [true, false, false, true],
    ],
  ];
  for (const [proofs, expected] of cases) {
    const verdicts = verifier.verifyAll(proofs);
    if (verdicts.length !== expected.length || verdicts.some((verdict, at) => verdict !== expected[at]))
      throw new Error('The proof kernel decides a known proof wrongly.');
  }
}
