import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../kernel/errors.js';
import { unreachable } from '../../kernel/unreachable.js';
import {
  discloseAmounts,
  type AmountKernel,
  type DecryptedAmount,
  type DecryptionRequest,
  type DisclosedAmount,
  type DisclosureRequest,
} from './amount-decryption.js';
import { openAmountKernel } from '../amount-kernel/wasm-amount-kernel.js';
import type { WorkerNotice } from '../worker-threads.js';

/** The settings that the pool gives to a worker at its start. */
export interface WorkerSettings {
  readonly tableFile: string | undefined;
}

/** A message from the pool to a worker, one at a time. Each is answered by one reply, which notices may precede. */
export type WorkerRequest =
  | { readonly kind: 'warmUp' }
  | ({ readonly kind: 'decrypt' } & DecryptionRequest)
  | ({ readonly kind: 'disclose' } & DisclosureRequest);

export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'decrypted'; readonly results: DecryptedAmount[] }
  | { readonly kind: 'disclosed'; readonly results: DisclosedAmount[] }
  | { readonly kind: 'failed'; readonly message: string };

const post = (message: WorkerReply | WorkerNotice) => parentPort?.postMessage(message);

let opened: AmountKernel | undefined;

/** Opened at the first request, not while the thread starts, because building the table takes a while. */
function kernel(): AmountKernel {
  const { tableFile } = workerData as WorkerSettings;
  opened ??= openAmountKernel({ tableFile, notice: (message) => post({ kind: 'notice', message }) });
  return opened;
}

function answer(request: WorkerRequest): WorkerReply {
  switch (request.kind) {
    case 'warmUp':
      kernel();
      return { kind: 'ready' };
    case 'decrypt':
      return withSecret(request, () => ({
        kind: 'decrypted',
        results: kernel().decrypt(request.secret, request.ciphertexts),
      }));
    case 'disclose':
      return withSecret(request, () => ({ kind: 'disclosed', results: discloseAmounts(kernel(), request) }));
    default:
      return unreachable(request);
  }
}

function withSecret({ secret }: DecryptionRequest, work: () => WorkerReply): WorkerReply {
  try {
    return work();
  } catch (error) {
    return { kind: 'failed', message: messageOf(error) };
  } finally {
    // The bytes were transferred, so this is the only copy in the worker. The scalar used for a proof is a BigInt, which
    // JavaScript cannot erase: it exists until the next garbage collection.
    secret.fill(0);
  }
}

parentPort?.on('message', (request: WorkerRequest) => post(answer(request)));
