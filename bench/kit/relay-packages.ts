import { randomBytes } from 'node:crypto';
import type { ProofPool } from '#lucarne/platform/crypto/index.js';
import { LOCAL_POOL_CIRCUIT, LOCAL_POOL_SELECTOR } from '#devnet/index.js';

/** Packages of the local pool, whose proofs anyone can create. */
export function newPackages(count: number) {
  const word = (value: bigint) => value.toString(16).padStart(64, '0');
  return Array.from({ length: count }, () => {
    const nullifiers = [0, 1].map(() => BigInt(`0x${randomBytes(31).toString('hex')}`));
    const signals = [7n, 0n, 9n, ...nullifiers, 1n, 2n];
    return {
      version: 1,
      poolSelector: LOCAL_POOL_SELECTOR,
      zkConfigNonce: '3',
      proofBytes: Buffer.from(LOCAL_POOL_CIRCUIT.prove(signals, word(nullifiers[0]!))).toString('hex'),
      publicSignals: signals.map(word),
      applicationIdHints: [],
    };
  });
}

/** For desks that accept nothing. */
export const noProofs: ProofPool = {
  stats: { workers: 0, busy: 0, unfinished: 0, finished: 0, refuted: 0, batches: 0, deaths: 0 },
  verify: () => Promise.reject(new Error('No proof is verified here.')),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
