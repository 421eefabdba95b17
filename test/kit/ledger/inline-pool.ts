import {
  createAmountKernel,
  discloseAmounts,
  type DecryptionPool,
} from '../../../src/platform/crypto/index.js';

export interface InlinePool extends DecryptionPool {
  /** Runs before each request. It may throw to fail the request, or wait to delay it. */
  before: () => void | Promise<void>;
  /** Number of requested ciphertexts. */
  asked: number;
}

const kernel = createAmountKernel();

/** The real arithmetic without threads. A test can make it fail or wait. */
export function inlinePool(): InlinePool {
  const pool: InlinePool = {
    before: () => undefined,
    asked: 0,
    async decrypt({ secret, ciphertexts }) {
      pool.asked += ciphertexts.length;
      await pool.before();
      return kernel.decrypt(secret, ciphertexts);
    },
    async decryptAndProve(request) {
      pool.asked += request.ciphertexts.length;
      await pool.before();
      return discloseAmounts(kernel, request);
    },
    warmUp: () => Promise.resolve(),
    stats: { workers: 0, busy: 0, requests: 0, unfinished: 0, finished: 0, undecryptable: 0, deaths: 0 },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return pool;
}
