import { describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isTable } from '../../../../src/platform/crypto/amount-kernel/kernel-files.js';
import {
  createDecryptionPool,
  type DecryptionPoolOptions,
} from '../../../../src/platform/crypto/decryption/decryption-pool.js';
import { verifyDecryption } from '../../../../src/platform/crypto/proofs/decryption-proof.js';
import { generateElGamalKeypair } from '../../../../src/platform/crypto/decryption/elgamal.js';
import { countingTurns } from '../../../kit/process/event-loop.js';
import { encryptAmount } from '../encrypt-amount.js';
import { poolsOf, threadThat as aThreadThat } from '../pool-kit.js';

const { secret, publicKey } = generateElGamalKeypair();
const UNDECRYPTABLE = { kind: 'undecryptable' };

/** Ciphertexts that are not decrypted, distinguished by their first byte. */
const ciphertexts = (count: number, mark = 0) =>
  Array.from({ length: count }, () => ({
    lo: Uint8Array.of(mark),
    hi: Uint8Array.of(mark),
    loBits: 16,
    hiBits: 32,
  }));
const party = 'Acme';
const request = (count: number, mark = 0) => ({
  party,
  secret,
  publicKey,
  ciphertexts: ciphertexts(count, mark),
});

const answer = `request.kind === 'warmUp'
  ? { kind: 'ready' }
  : { kind: request.kind === 'decrypt' ? 'decrypted' : 'disclosed',
      results: request.ciphertexts.map(() => ({ kind: 'undecryptable' })) }`;
const threadThat = (body: string) => aThreadThat(answer, body);
const ANSWERS = threadThat('answer(request)');
const HANGS = threadThat('');

const openPool = poolsOf((options: DecryptionPoolOptions) => createDecryptionPool(options));

describe('the decryption pool', () => {
  it('returns each ciphertext’s amount and proof in order, without blocking the event loop', async () => {
    const values = [0n, 1n, 65_536n, 123_456_789n, 2n ** 40n - 1n, 7n];
    const real = values.map((value) => encryptAmount(publicKey, value));
    const foreign = encryptAmount(generateElGamalKeypair().publicKey, 5n);
    const pool = openPool({ workers: 2 });
    await pool.warmUp();

    const { result: results, turns } = await countingTurns(() =>
      pool.decryptAndProve({ party, secret, publicKey, ciphertexts: [...real, foreign] }),
    );

    expect(turns).toBeGreaterThan(1);
    expect(results.at(-1)).toEqual(UNDECRYPTABLE);
    for (const [index, value] of values.entries()) {
      const result = results[index]!;
      expect(result).toMatchObject({ kind: 'amount', value });
      const proof = 'proof' in result ? result.proof : new Uint8Array();
      expect(verifyDecryption({ publicKey, ciphertext: real[index]!, value, proof })).toBe(true);
    }
    expect(pool.stats).toMatchObject({ workers: 2, busy: 0, finished: 7, undecryptable: 1, deaths: 0 });
  });

  it('decrypts without proofs, in order, also more than a thread takes at a time', async () => {
    const values = Array.from({ length: 70 }, (_, index) => BigInt(index) ** 7n);
    const foreign = encryptAmount(generateElGamalKeypair().publicKey, 5n);
    const pool = openPool({ workers: 2 });
    const mine = values.map((value) => encryptAmount(publicKey, value));
    const results = await pool.decrypt({ party, secret, ciphertexts: [...mine, foreign] });
    expect(results).toEqual([...values.map((value) => ({ kind: 'amount', value })), UNDECRYPTABLE]);
    expect(pool.stats).toMatchObject({ busy: 0, finished: 71, undecryptable: 1 });
  });

  it('rejects a decryption with an invalid secret', async () => {
    const ciphertexts = [encryptAmount(publicKey, 5n)];
    await expect(
      openPool().decrypt({ party, secret: new Uint8Array(32), ciphertexts }),
    ).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: 'A decryption failed.',
    });
  });

  it('decrypts without WebAssembly too, and reports that it is slower', async () => {
    const worker = new URL(
      '../../../../dist/src/platform/crypto/decryption/decryption-worker.js',
      import.meta.url,
    );
    const source = `delete globalThis.WebAssembly; await import('${worker.href}');`;
    const notices: string[] = [];
    const pool = openPool({
      workerUrl: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
      notice: (message) => notices.push(message),
    });
    const ciphertexts = [encryptAmount(publicKey, 5n)];
    await expect(pool.decrypt({ party, secret, ciphertexts })).resolves.toEqual([
      { kind: 'amount', value: 5n },
    ]);
    await expect(pool.decrypt({ party, secret, ciphertexts })).resolves.toEqual([
      { kind: 'amount', value: 5n },
    ]);
    expect(notices).toEqual([
      'Amounts are decrypted without WebAssembly, which is far slower: WebAssembly is not available.',
    ]);
  });

  it('stores the table of its threads in a file', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'lucarne-pool-'));
    try {
      const notices: string[] = [];
      const tableFile = path.join(directory, 'made', 'baby-steps.table');
      const pool = openPool({ workers: 2, tableFile, notice: (message) => notices.push(message) });
      await pool.warmUp();
      expect(isTable(await readFile(tableFile))).toBe(true);
      expect(notices).toEqual([]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('rejects only the request whose keys are not a pair', async () => {
    const pool = openPool();
    const mine = [encryptAmount(publicKey, 5n)];
    const other = generateElGamalKeypair();
    const wrong = pool.decryptAndProve({ party, secret, publicKey: other.publicKey, ciphertexts: mine });
    const right = pool.decryptAndProve({ party, secret, publicKey, ciphertexts: mine });
    await expect(wrong).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: 'A decryption failed.',
    });
    await expect(right).resolves.toMatchObject([{ kind: 'amount', value: 5n }]);
  });

  it('does not modify its caller’s secret', async () => {
    const mine = Uint8Array.from(secret);
    await openPool({ workerUrl: ANSWERS }).decryptAndProve({ ...request(9), secret: mine });
    expect(mine).toEqual(secret);
  });

  it('answers an empty request without a thread', async () => {
    const pool = openPool({ workerUrl: HANGS });
    await expect(pool.decryptAndProve(request(0))).resolves.toEqual([]);
    expect(pool.stats.workers).toBe(0);
  });

  it('serves a small request before an earlier giant one has finished', async () => {
    const pool = openPool({ workerUrl: ANSWERS });
    const order: string[] = [];
    await Promise.all([
      pool.decryptAndProve(request(80)).then(() => order.push('giant')),
      pool.decryptAndProve(request(2)).then(() => order.push('small')),
    ]);
    expect(order).toEqual(['small', 'giant']);
  });

  it('refuses with UNAVAILABLE what exceeds the queue', async () => {
    const pool = openPool({ workerUrl: HANGS, queueLimit: 10 });
    const waiting = Promise.allSettled([pool.decryptAndProve(request(8))]);
    await expect(pool.decryptAndProve(request(3))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retryAfterSeconds: 1,
    });
    const fits = Promise.allSettled([pool.decryptAndProve(request(2))]);
    expect(pool.stats).toMatchObject({ requests: 2, unfinished: 10, workers: 1, busy: 1 });
    await pool[Symbol.asyncDispose]();
    await Promise.all([waiting, fits]);
  });

  it('refuses no party because another one sends too much', async () => {
    const pool = openPool({ workerUrl: HANGS, queueLimit: 10 });
    const waiting = Promise.allSettled([pool.decryptAndProve(request(10))]);
    await expect(pool.decryptAndProve(request(1))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const other = Promise.allSettled([pool.decryptAndProve({ ...request(10), party: 'Other' })]);
    expect(pool.stats).toMatchObject({ requests: 2, unfinished: 20 });
    await pool[Symbol.asyncDispose]();
    await Promise.all([waiting, other]);
  });

  it('serves a party with one request as soon as one with many', async () => {
    const pool = openPool({ workerUrl: ANSWERS });
    const order: string[] = [];
    const ask = (party: string) =>
      pool.decryptAndProve({ ...request(8), party }).then(() => order.push(party));
    await Promise.all([...Array.from({ length: 10 }, () => ask('many')), ask('once')]);
    // Two chunks each, in alternating turns.
    expect(order.indexOf('once')).toBeLessThanOrEqual(1);
  });

  it('accepts a request above the limit when it is idle, and has room again afterwards', async () => {
    const pool = openPool({ workerUrl: ANSWERS, queueLimit: 10 });
    await expect(pool.decryptAndProve(request(25))).resolves.toHaveLength(25);
    await expect(pool.decryptAndProve(request(25))).resolves.toHaveLength(25);
    expect(pool.stats).toMatchObject({ unfinished: 0, finished: 50 });
  });

  it('drops a request whose signal aborts, and makes room for others', async () => {
    const pool = openPool({
      workerUrl: threadThat('if (request.ciphertexts[0].lo[0] === 0) answer(request)'),
    });
    const controller = new AbortController();
    const decryption = pool.decryptAndProve(request(40, 1), controller.signal);
    controller.abort(new Error('the client went away'));
    await expect(decryption).rejects.toThrow('the client went away');
    expect(pool.stats).toMatchObject({ requests: 0, unfinished: 0 });
    await expect(pool.decryptAndProve(request(1), controller.signal)).rejects.toThrow('the client went away');
  });

  it('rejects waiting and later requests with UNAVAILABLE when it closes, and leaves no thread', async () => {
    const pool = openPool({ workerUrl: HANGS, workers: 2 });
    const waiting = expect(pool.decryptAndProve(request(20))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await pool[Symbol.asyncDispose]();
    await waiting;
    await expect(pool.decryptAndProve(request(1))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(pool.warmUp()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(pool.stats).toMatchObject({ workers: 0, busy: 0, deaths: 0 });
  });

  it('needs at least one thread', () => {
    expect(() => createDecryptionPool({ workers: 0, queueLimit: 1 })).toThrow(RangeError);
  });
});

describe('a thread that dies', () => {
  const withMarker = async (test: (marker: string) => Promise<void>) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'lucarne-pool-'));
    try {
      await test(JSON.stringify(path.join(directory, 'died')));
    } finally {
      await rm(directory, { recursive: true });
    }
  };

  it('is replaced, and its work is repeated', () =>
    withMarker(async (marker) => {
      const diesOnce = threadThat(
        `if (existsSync(${marker})) answer(request); else { writeFileSync(${marker}, ''); process.exit(1); }`,
      );
      const pool = openPool({ workerUrl: diesOnce });
      await expect(pool.decryptAndProve(request(10))).resolves.toEqual(Array(10).fill(UNDECRYPTABLE));
      expect(pool.stats).toMatchObject({ deaths: 1, workers: 1, unfinished: 0 });
    }));

  it('causes its work to be rejected with UNAVAILABLE and the cause if the next thread dies on it, too', async () => {
    const pool = openPool({ workerUrl: threadThat("throw new Error('out of memory')") });
    await expect(pool.decryptAndProve(request(1))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      cause: { message: 'out of memory' },
    });
    expect(pool.stats).toMatchObject({ deaths: 2, workers: 0, requests: 0 });
  });

  it('fails no other request', async () => {
    const dies = threadThat('if (request.ciphertexts[0].lo[0] === 1) process.exit(1); answer(request)');
    const pool = openPool({ workerUrl: dies, workers: 2 });
    const [poisoned, ...others] = await Promise.allSettled([
      pool.decryptAndProve(request(1, 1)),
      pool.decryptAndProve(request(30)),
      pool.decryptAndProve(request(30)),
    ]);
    expect(poisoned).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });

  it('is not restarted forever if it never ran', async () => {
    const pool = openPool({ workerUrl: new URL('data:text/javascript,process.exit(1)') });
    await expect(pool.warmUp()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(pool.decryptAndProve(request(1))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(pool.stats).toMatchObject({ deaths: 3, workers: 0 });
  });
});
