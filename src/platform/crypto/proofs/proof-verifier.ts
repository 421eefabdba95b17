import { systemRandom, type Random } from '../../kernel/random.js';
import type { VerificationKey } from './groth16-key.js';
import { createGroth16Verifier, parseGroth16Proof, requireSignals } from './groth16.js';

/** A proof as it came, and what it is said to prove. */
export interface ProofBytes {
  /** A | B | C as EIP-197 takes them; whether they are points is found by the verifier. */
  readonly proof: Uint8Array;
  readonly signals: readonly bigint[];
}

/** Verifies proofs of one circuit. */
export interface ProofVerifier {
  /**
   * Which of them are points that prove their signals. A wrong one passes with a chance of at most 2^-127.
   * @throws {RangeError} for another number of signals than the circuit has, or one that is not from 0 to r − 1
   */
  verifyAll(proofs: readonly ProofBytes[]): boolean[];
}

/** On noble’s arithmetic, which runs everywhere. */
export function createProofVerifier(key: VerificationKey, random: Random = systemRandom): ProofVerifier {
  const verifier = createGroth16Verifier(key, random);
  return {
    verifyAll(proofs) {
      for (const { signals } of proofs) requireSignals(signals, verifier.signalCount);
      const parsed = proofs.map(({ proof, signals }) => ({ proof: parseGroth16Proof(proof), signals }));
      const statements = parsed.flatMap(({ proof, signals }) => (proof ? [{ proof, signals }] : []));
      const verified = verifier.verifyAll(statements);
      // Of proofs that are no points there is nothing to verify.
      return parsed.map(({ proof }) => proof !== undefined && verified.shift() === true);
    },
  };
}
