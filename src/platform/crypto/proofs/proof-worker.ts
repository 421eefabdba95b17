import { parentPort } from 'node:worker_threads';
import type { JsonObject } from '../../kernel/encoding/json.js';
import { messageOf } from '../../kernel/errors.js';
import { openProofVerifier } from '../proof-kernel/wasm-proof-verifier.js';
import type { WorkerNotice } from '../worker-threads.js';
import { parseVerificationKey } from './groth16-key.js';
import type { ProofBytes, ProofVerifier } from './proof-verifier.js';

/** A message from the pool to a worker, one at a time. Each is answered by one reply. */
export interface ProofRequest {
  /** Identifies the key among those of the pool. */
  readonly keyId: number;
  readonly key: JsonObject;
  readonly proofs: readonly ProofBytes[];
}

export type ProofReply =
  /** Whether each of the proofs is valid, in their order. */
  | { readonly kind: 'verified'; readonly holds: readonly boolean[] }
  | { readonly kind: 'failed'; readonly message: string };

const post = (message: ProofReply | WorkerNotice) => parentPort?.postMessage(message);

/** Keys are prepared once for each thread. */
const verifiers = new Map<number, ProofVerifier>();

function verifierOf({ keyId, key }: ProofRequest): ProofVerifier {
  const known = verifiers.get(keyId);
  if (known) return known;
  const notice = (message: string) => post({ kind: 'notice', message });
  const opened = openProofVerifier(parseVerificationKey(key), { notice });
  verifiers.set(keyId, opened);
  return opened;
}

function answer(request: ProofRequest): ProofReply {
  try {
    return { kind: 'verified', holds: verifierOf(request).verifyAll(request.proofs) };
  } catch (thrown) {
    return { kind: 'failed', message: messageOf(thrown) };
  }
}

parentPort?.on('message', (request: ProofRequest) => post(answer(request)));
