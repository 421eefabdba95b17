import { ElGamalKeypair, type ElGamalCiphertext } from '@solana/zk-sdk/node';
import { randomBytes, randomInt } from 'node:crypto';
import {
  createAmountKernel,
  createWasmAmountKernel,
  generateElGamalKeypair,
  type AmountKernel,
  type DecryptedAmount,
  type SplitCiphertext,
} from '#lucarne/platform/crypto/index.js';
import type { Benchmark } from './kit/benchmark.ts';
import { compare, quantile, work } from './kit/compare.ts';

interface Encrypted {
  readonly value: bigint;
  readonly lo: ElGamalCiphertext;
  readonly hi: ElGamalCiphertext;
  readonly split: SplitCiphertext;
}

/** Number of ciphertexts that are decrypted and compared with the encrypted values before the measurement. */
const CHECKED = 10_000;
const AMOUNTS_A_BLOCK = 400;

/**
 * Auditor ciphertexts decrypted on one core: the WebAssembly kernel compared with `@solana/zk-sdk`, which encrypts all of them.
 * Blocks count the CPU time of the thread.
 */
export const benchmark: Benchmark = async ({ quick, pairs, tell }) => {
  const keypair = new ElGamalKeypair();
  const secret = keypair.secret();
  const secretBytes = secret.toBytes();
  const encrypt = (value: bigint): Encrypted => encryptSplit(keypair, value);

  const count = quick ? 200 : CHECKED / 2;
  const uniform = Array.from({ length: count }, () => encrypt(uniformAmount()));
  const logUniform = Array.from({ length: count }, () => encrypt(logUniformAmount()));
  tell(`${2 * count} amounts encrypted`);

  const { result: wasm, seconds: opening } = work(() => createWasmAmountKernel());
  expectAll('WebAssembly', wasm, secretBytes, [...uniform, ...logUniform]);
  expectAll('JavaScript', createAmountKernel(), secretBytes, [...uniform, ...logUniform]);
  tell(`${2 * count} amounts decrypted by each kernel, none wrong`);

  const otherSecret = generateElGamalKeypair().secret;
  const single = uniform.slice(0, quick ? 20 : 1_000);
  const alone = single.map(({ split }) => least(() => wasm.decrypt(secretBytes, [split])));
  const beyond = single.map(({ split }) => {
    const hi = keypair.pubkey().encryptU64(2n ** 32n + BigInt(randomInt(2 ** 32)));
    const out = { ...split, hi: hi.toBytes() };
    return least(() => expectNone(wasm.decrypt(secretBytes, [out])));
  });
  const foreign = single.map(({ split }) => least(() => expectNone(wasm.decrypt(otherSecret, [split]))));

  let next = 0;
  const take = (amounts: number) => {
    const from = next;
    next = (next + amounts) % (uniform.length - amounts + 1);
    return uniform.slice(from, from + amounts);
  };
  const amounts = quick ? 20 : AMOUNTS_A_BLOCK;
  const product = () => {
    const some = take(amounts);
    return { units: amounts, ...work(() => expectAll('WebAssembly', wasm, secretBytes, some)) };
  };
  const reference = () => {
    const [one] = take(1);
    const timing = work(() => {
      const value = secret.decrypt(one!.lo) + (secret.decrypt(one!.hi) << 16n);
      if (value !== one!.value) throw new Error(`zk-sdk decrypted ${value}, not ${one!.value}.`);
    });
    return { units: 1, ...timing };
  };
  return [
    {
      what: 'Amounts decrypted, one core, uniform below 2^48',
      unit: 'amounts',
      reference: '`@solana/zk-sdk`, WebAssembly',
      reach: 700,
      ...(await compare({ product, reference }, pairs)),
      additional: {
        'wrong of those checked': `0 of ${2 * count}`,
        'one amount p50 ms': quantile(alone, 0.5),
        'p99 ms': quantile(alone, 0.99),
        'longest search ms': Math.max(...beyond),
        'under another key p99 ms': quantile(foreign, 0.99),
        'opening ms': opening * 1000,
      },
    },
  ];
};

function encryptSplit(keypair: ElGamalKeypair, value: bigint): Encrypted {
  const lo = keypair.pubkey().encryptU64(value & 0xffffn);
  const hi = keypair.pubkey().encryptU64(value >> 16n);
  return { value, lo, hi, split: { loBits: 16, hiBits: 32, lo: lo.toBytes(), hi: hi.toBytes() } };
}

const uniformAmount = () => BigInt(`0x${randomBytes(6).toString('hex')}`);

/** Each length in bits is equally likely. */
function logUniformAmount(): bigint {
  const bits = BigInt(randomInt(48));
  return 2n ** bits + (uniformAmount() & (2n ** bits - 1n));
}

function expectAll(
  name: string,
  kernel: AmountKernel,
  secret: Uint8Array,
  encrypted: readonly Encrypted[],
): void {
  const answers = kernel.decrypt(
    secret,
    encrypted.map(({ split }) => split),
  );
  encrypted.forEach(({ value }, at) => {
    const answer = answers[at];
    if (answer?.kind !== 'amount' || answer.value !== value)
      throw new Error(`${name} did not decrypt ${value}.`);
  });
}

function expectNone([answer]: readonly DecryptedAmount[]): void {
  if (answer?.kind !== 'undecryptable') throw new Error('What has no amount was decrypted.');
}

/** Elapsed milliseconds, the minimum of five runs: too short for the CPU time of the thread. */
function least(once: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    once();
    return performance.now() - began;
  });
  return Math.min(...times);
}
