import { describe, expect, it } from '@jest/globals';
import {
  parseVerificationKey,
  verificationKeyJson,
} from '../../../../src/platform/crypto/proofs/groth16-key.js';
import { createProofPool, type ProofPoolOptions } from '../../../../src/platform/crypto/proofs/proof-pool.js';
import { trapdoorCircuit } from '../../../../devnet/pool/trapdoor-circuit.js';
import { countingTurns } from '../../../kit/process/event-loop.js';
import { poolsOf, threadThat as aThreadThat } from '../pool-kit.js';

const circuit = trapdoorCircuit('proof pool', 2);
const key = parseVerificationKey(circuit.verificationKey);
const other = trapdoorCircuit('another circuit', 1);
const otherKey = parseVerificationKey(other.verificationKey);

const good = (signal: bigint) => ({
  signals: [signal, 7n],
  proof: circuit.prove([signal, 7n], `proof ${signal}`),
});
/** Points that prove something else. */
const bad = (signal: bigint) => ({ ...good(signal), signals: [signal + 1n, 7n] });
const noPoints = { signals: [1n, 7n], proof: new Uint8Array(256).fill(1) };

const threadThat = (body: string) =>
  aThreadThat("{ kind: 'verified', holds: request.proofs.map(() => true) }", body);
const ANSWERS = threadThat('answer(request)');
const HANGS = threadThat('');

const openPool = poolsOf((options: ProofPoolOptions) => createProofPool(options));

describe('the proof pool', () => {
  it('distinguishes valid from invalid proofs without blocking the event loop', async () => {
    const pool = openPool({ workers: 2 });
    const proofs = [good(1n), bad(2n), good(3n), noPoints, good(5n), good(6n)];
    const { result: holds, turns } = await countingTurns(() =>
      Promise.all(proofs.map((proof) => pool.verify(key, proof))),
    );
    expect(holds).toEqual([true, false, true, false, true, true]);
    expect(turns).toBeGreaterThan(1);
    expect(pool.stats).toMatchObject({ busy: 0, unfinished: 0, finished: 6, refuted: 2, deaths: 0 });
  });

  it('verifies with the given key, in any order', async () => {
    const pool = openPool();
    const statementOf = (signals: bigint[]) => ({ signals, proof: other.prove(signals, 'other') });
    const asked = [
      pool.verify(key, good(1n)),
      pool.verify(otherKey, statementOf([4n])),
      pool.verify(otherKey, { ...statementOf([4n]), signals: [5n] }),
      pool.verify(key, good(2n)),
    ];
    await expect(Promise.all(asked)).resolves.toEqual([true, true, false, true]);
    await expect(pool.verify(otherKey, good(1n))).rejects.toThrow(RangeError);
  });

  it.each([
    [1, 16, 1],
    // So that some callers continue while the proofs of the others are verified.
    [1, 32, 2],
    [1, 64, 3],
    [4, 16, 4],
  ])(
    'verifies with %i threads %i proofs that arrive together in %i batches',
    async (workers, proofs, batches) => {
      const pool = openPool({ workerUrl: ANSWERS, workers });
      await Promise.all(Array.from({ length: proofs }, () => pool.verify(key, noPoints)));
      expect(pool.stats).toMatchObject({ finished: proofs, batches });
    },
  );

  it('fails proofs if no thread can be started, and stays usable', async () => {
    // Node.js starts threads only from files and data.
    const pool = openPool({ workerUrl: new URL('https://lucarne.example/worker.js') });
    for (let times = 0; times < 2; times += 1)
      await expect(pool.verify(key, noPoints)).rejects.toMatchObject({ code: 'ERR_INVALID_URL_SCHEME' });
    expect(pool.stats).toMatchObject({ busy: 0, unfinished: 0 });
  });

  it('batches the proofs that wait for one key', async () => {
    const pool = openPool({ workerUrl: ANSWERS });
    await Promise.all(Array.from({ length: 65 }, () => pool.verify(key, noPoints)));
    expect(pool.stats).toMatchObject({ finished: 65, batches: 3 });
  });

  it('makes batches smaller after bad proofs, and larger again after good ones', async () => {
    const refutes = threadThat(`
      const holds = request.proofs.map(({ signals }) => signals[0] === 1n);
      parentPort.postMessage({ kind: 'verified', holds });`);
    const pool = openPool({ workerUrl: refutes });
    const batchesOf = async (count: number, signal: bigint) => {
      const before = pool.stats.batches;
      const asked = { ...noPoints, signals: [signal, 7n] };
      await Promise.all(Array.from({ length: count }, () => pool.verify(key, asked)));
      return pool.stats.batches - before;
    };
    expect(await batchesOf(65, 1n)).toBe(3);
    await batchesOf(65, 0n);
    const small = await batchesOf(65, 1n);
    expect(small).toBeGreaterThan(3);
    while ((await batchesOf(65, 1n)) > 3);
  });

  it('refuses with queue_at_capacity what exceeds the queue', async () => {
    const pool = openPool({ workerUrl: HANGS, queueLimit: 2 });
    const waiting = Promise.allSettled([pool.verify(key, good(1n)), pool.verify(key, good(2n))]);
    await expect(pool.verify(key, good(3n))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'queue_at_capacity',
      retryAfterSeconds: 1,
    });
    await pool[Symbol.asyncDispose]();
    for (const { status } of await waiting) expect(status).toBe('rejected');
    await expect(pool.verify(key, good(1n))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('gives the proofs of a dead thread to another thread one by one, and fails only one that kills a thread again', async () => {
    const dies = threadThat(
      'if (request.proofs.some(({ signals }) => signals[0] === 0n)) process.exit(1); answer(request)',
    );
    const pool = openPool({ workerUrl: dies });
    const ask = (signal: bigint) => pool.verify(key, { ...noPoints, signals: [signal, 7n] });
    const asked = await Promise.allSettled([ask(1n), ask(2n), ask(0n), ask(3n)]);
    expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(asked[2]).toMatchObject({ reason: { code: 'UNAVAILABLE' } });
    expect(pool.stats).toMatchObject({ unfinished: 0, deaths: 2 });
  });
});

describe('a verification key', () => {
  it('is parsed from its JSON', () => {
    expect(verificationKeyJson(key)).toEqual(circuit.verificationKey);
  });
});
