import { parentPort } from 'node:worker_threads';
import { messageOf } from '../kernel/errors.js';
import { unreachable } from '../kernel/unreachable.js';
import {
  createAmountKernel,
  discloseAmounts,
  type AmountKernel,
  type DisclosedAmount,
  type DisclosureRequest,
} from './amount-decryption.js';

/** What the pool sends to a worker, one at a time; each is answered by one reply. */
export type WorkerRequest = { readonly kind: 'warmUp' } | ({ readonly kind: 'disclose' } & DisclosureRequest);

export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'disclosed'; readonly results: DisclosedAmount[] }
  | { readonly kind: 'failed'; readonly message: string };

let kernel: AmountKernel | undefined;

function answer(request: WorkerRequest): WorkerReply {
  kernel ??= createAmountKernel();
  switch (request.kind) {
    case 'warmUp':
      return { kind: 'ready' };
    case 'disclose':
      try {
        return { kind: 'disclosed', results: discloseAmounts(kernel, request) };
      } catch (error) {
        return { kind: 'failed', message: messageOf(error) };
      } finally {
        // The bytes came by transfer, so this is the only copy in the worker. The scalar made of them is a BigInt,
        // which JavaScript cannot erase: it lives until the next garbage collection.
        request.secret.fill(0);
      }
    default:
      return unreachable(request);
  }
}

parentPort?.on('message', (request: WorkerRequest) => parentPort?.postMessage(answer(request)));
