import { randomBytes } from 'node:crypto';
import {
  createProofVerifier,
  createWasmProofVerifier,
  parseVerificationKey,
  type ProofBytes,
  type ProofVerifier,
} from '#lucarne/platform/crypto/index.js';
import { LOCAL_POOL_CIRCUIT } from '#devnet/index.js';
import type { Benchmark, Result } from './kit/benchmark.ts';
import { compare, quantile, work } from './kit/compare.ts';

/** How many proofs are verified together: one, and the number that a thread gets under load. */
const BATCHES = [32, 1] as const;
const REACH = { 32: 15, 1: 8 } as const;
/** Number of verdicts that are compared before the measurement. One of these proofs is wrong. */
const CHECKED = 256;

/**
 * Groth16 proofs verified on one core: the WebAssembly kernel compared with noble's arithmetic. Blocks count the CPU time of
 * the thread.
 */
export const benchmark: Benchmark = async ({ quick, pairs, tell }) => {
  const key = parseVerificationKey(LOCAL_POOL_CIRCUIT.verificationKey);
  const { result: kernel, seconds: opening } = work(() => createWasmProofVerifier(key));
  const noble = createProofVerifier(key);
  const proofs = Array.from({ length: quick ? 32 : CHECKED }, (_, at) => prove(at));
  const bad = proofs.map(({ proof, signals }, at) =>
    at % 5 === 3 ? { proof, signals: signals.with(5, 99n) } : { proof, signals },
  );
  const isGood = bad.map((_, at) => at % 5 !== 3);
  for (const verifier of [kernel, noble]) expect(verifier, bad, isGood);
  tell(`${bad.length} proofs decided by both, none wrong`);

  const results: Result[] = [];
  for (const size of BATCHES) {
    const batch = proofs.slice(0, size);
    const good = batch.map(() => true);
    // Blocks of at least a tenth of a second.
    const arm = (verifier: ProofVerifier, times: number) => () => ({
      units: size * times,
      ...work(() => {
        for (let round = 0; round < times; round += 1) expect(verifier, batch, good);
      }),
    });
    // Meanwhile, the optimizing compiler of WebAssembly takes over.
    arm(kernel, quick ? 1 : 640 / size)();
    const once = Array.from({ length: quick ? 3 : 200 }, () => {
      const from = performance.now();
      expect(kernel, batch, good);
      return performance.now() - from;
    });
    results.push({
      what: size === 1 ? 'One proof verified alone, one core' : `Proofs verified ${size} together, one core`,
      unit: 'proofs',
      reference: 'noble’s arithmetic, the same batches',
      reach: REACH[size],
      ...(await compare(
        { product: arm(kernel, quick ? 1 : 640 / size), reference: arm(noble, size === 1 ? 8 : 1) },
        pairs,
      )),
      additional: {
        'least ms': Math.min(...once),
        'p50 ms': quantile(once, 0.5),
        'p99 ms': quantile(once, 0.99),
        ...(size === 1
          ? {}
          : { 'wrong of those checked': `0 of ${bad.length}`, 'opening ms': opening * 1000 }),
      },
    });
  }
  return results;
};

function prove(at: number): ProofBytes {
  const random = () => BigInt(`0x${randomBytes(31).toString('hex')}`);
  const signals = [7n, 0n, 9n, random(), random(), 1n, 2n];
  return { signals, proof: LOCAL_POOL_CIRCUIT.prove(signals, String(at)) };
}

function expect(verifier: ProofVerifier, proofs: readonly ProofBytes[], expected: readonly boolean[]): void {
  const verdicts = verifier.verifyAll(proofs);
  if (verdicts.some((verdict, at) => verdict !== expected[at]))
    throw new Error('A proof was decided wrongly.');
}
