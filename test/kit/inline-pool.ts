import { createAmountKernel, discloseAmounts, type DecryptionPool } from '../../src/platform/crypto/index.js';

export interface InlinePool extends DecryptionPool {
  /** Runs before each request: throws to fail it, or waits to hold it up. */
  before: () => void | Promise<void>;
  /** Ciphertexts that were asked for. */
  asked: number;
}

const kernel = createAmountKernel();

/** The real arithmetic without threads, which a test can fail or hold up. */
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
