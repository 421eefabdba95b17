import { parentPort } from 'node:worker_threads';
import type { JsonObject } from '../kernel/json.js';
import { messageOf } from '../kernel/errors.js';
import { createGroth16Verifier, parseGroth16Proof, type Groth16Verifier } from './groth16.js';
import { parseVerificationKey } from './groth16-key.js';

/** A proof as it came, and what it is said to prove. */
export interface ProofBytes {
  /** A | B | C as EIP-197 takes them; whether they are points is found here. */
  readonly proof: Uint8Array;
  readonly signals: readonly bigint[];
}

/** What the pool sends to a worker, one at a time; each is answered by one reply. */
export interface ProofRequest {
  /** Names the key among those of the pool. */
  readonly keyId: number;
  readonly key: JsonObject;
  readonly proofs: readonly ProofBytes[];
}

export type ProofReply =
  /** Whether each of the proofs holds, in their order. */
  | { readonly kind: 'verified'; readonly holds: readonly boolean[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Keys are prepared once for a thread. */
const verifiers = new Map<number, Groth16Verifier>();

function answer({ keyId, key, proofs }: ProofRequest): ProofReply {
  try {
    const verifier = verifiers.get(keyId) ?? createGroth16Verifier(parseVerificationKey(key));
    verifiers.set(keyId, verifier);
    const parsed = proofs.map(({ proof, signals }) => ({ proof: parseGroth16Proof(proof), signals }));
    const statements = parsed.flatMap(({ proof, signals }) => (proof ? [{ proof, signals }] : []));
    const verified = verifier.verifyAll(statements);
    // Of proofs that are no points there is nothing to verify.
    return {
      kind: 'verified',
      holds: parsed.map(({ proof }) => proof !== undefined && verified.shift() === true),
    };
  } catch (thrown) {
    return { kind: 'failed', message: messageOf(thrown) };
  }
}

parentPort?.on('message', (request: ProofRequest) => parentPort?.postMessage(answer(request)));
