import { systemRandom, type Random } from '../../kernel/random.js';
import type { VerificationKey } from './groth16-key.js';
import { createGroth16Verifier, parseGroth16Proof, requireSignals } from './groth16.js';

/** A submitted proof, and the signals that it should prove. */
export interface ProofBytes {
  /** A | B | C in the format of EIP-197. The verifier checks whether they are points. */
  readonly proof: Uint8Array;
  readonly signals: readonly bigint[];
}

/** Verifies proofs of one circuit. */
export interface ProofVerifier {
  /**
   * Which of them are points that prove their signals. An invalid proof passes with a probability of at most 2^-127.
   * @throws {RangeError} for a wrong number of signals, or a signal outside of 0 to r − 1
   */
  verifyAll(proofs: readonly ProofBytes[]): boolean[];
}

/** A verifier on noble's arithmetic, which runs everywhere. */
export function createProofVerifier(key: VerificationKey, random: Random = systemRandom): ProofVerifier {
  const verifier = createGroth16Verifier(key, random);
  return {
    verifyAll(proofs) {
      for (const { signals } of proofs) requireSignals(signals, verifier.signalCount);
      const parsed = proofs.map(({ proof, signals }) => ({ proof: parseGroth16Proof(proof), signals }));
      const statements = parsed.flatMap(({ proof, signals }) => (proof ? [{ proof, signals }] : []));
      const verified = verifier.verifyAll(statements);
      // A proof whose points are invalid does not prove anything.
      return parsed.map(({ proof }) => proof !== undefined && verified.shift() === true);
    },
  };
}
