import { afterAll, describe, expect, it } from '@jest/globals';
import { ed25519, ristretto255 } from '@noble/curves/ed25519.js';
import { ElGamalKeypair } from '@solana/zk-sdk/node';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  AMOUNT_KERNEL_SHA256,
  readKernelModule,
  TABLE_SHA256,
} from '../../../src/platform/crypto/amount-kernel/kernel-files.js';
import {
  createWasmAmountKernel,
  openAmountKernel,
} from '../../../src/platform/crypto/amount-kernel/wasm-amount-kernel.js';
import { publicKeyOf } from '../../../src/platform/crypto/decryption/elgamal.js';
import { encrypt } from '../../kit/ledger/encrypt.js';
import { TOKEN_2022_SPLIT } from '../../../src/platform/crypto/decryption/split-ciphertext.js';
import { fc } from '../../kit/properties.js';
import { encryptAmount } from './encrypt-amount.js';

const directory = mkdtempSync(path.join(tmpdir(), 'lucarne-kernel-'));
afterAll(() => rmSync(directory, { recursive: true }));
const tableFile = path.join(directory, 'baby-steps.table');

const { exports, kernel } = capture(() => createWasmAmountKernel({ tableFile }));
const pair = new ElGamalKeypair();
const [secret, publicKey] = [pair.secret().toBytes(), pair.pubkey().toBytes()];
const UNDECRYPTABLE = { kind: 'undecryptable' };
const amount = (value: bigint) => ({ kind: 'amount', value });

const { BASE, Fn: Scalar } = ristretto255.Point;
/** An unencrypted value: its point, with the identity as handle. Every key decrypts it. */
const open = (value: bigint) =>
  Uint8Array.from([...BASE.multiplyUnsafe(value).toBytes(), ...new Uint8Array(32)]);

describe('the amount kernel in WebAssembly', () => {
  it('is the module with the expected hash', () => {
    expect(createHash('sha256').update(readKernelModule()).digest('hex')).toBe(AMOUNT_KERNEL_SHA256);
  });

  const uniform = fc.bigInt({ min: 0n, max: 2n ** 48n - 1n });
  const ofAnyLength = fc.integer({ min: 0, max: 47 }).chain((bits) => {
    return fc.bigInt({ min: 2n ** BigInt(bits), max: 2n ** BigInt(bits + 1) - 1n });
  });
  it.each([
    ['uniform', uniform],
    ['of any length', ofAnyLength],
  ])('decrypts what zk-sdk encrypted: amounts that are %s', (_, amounts) => {
    const ofZkSdk = (value: bigint) => ({
      ...TOKEN_2022_SPLIT,
      lo: pair
        .pubkey()
        .encryptU64(value & 0xffffn)
        .toBytes(),
      hi: pair
        .pubkey()
        .encryptU64(value >> 16n)
        .toBytes(),
    });
    fc.assert(
      fc.property(amounts, (value) => {
        expect(kernel.decrypt(secret, [ofZkSdk(value)])).toEqual([amount(value)]);
      }),
      { numRuns: 150 },
    );
  });

  it('finds values at every boundary of its search', () => {
    const reach = 2n ** 21n;
    const middles = [27n, 32n].map((bits) => 2n ** (bits - 1n));
    const steps = [0n, 1n, 2n, 15n, 16n, 127n, 128n, 129n, 255n, 256n, 383n, 384n, 510n, 511n, 512n];
    const values = new Set<bigint>([0n, 1n, 2n ** 32n - 1n]);
    for (const middle of middles)
      for (const step of steps)
        for (const side of [-1n, 1n])
          for (const off of [-reach, 1n - reach, -1n, 0n, 1n, reach - 1n, reach])
            values.add(middle + side * step * (2n * reach - 1n) + off);
    const searched = [...values].filter((value) => value >= 0n && value < 2n ** 32n);
    const splits = searched.map((value) => ({ loBits: 1, hiBits: 32, lo: open(1n), hi: open(value) }));
    expect(kernel.decrypt(secret, splits)).toEqual(searched.map((value) => amount(1n + 2n * value)));
  });

  it('finds the greatest value of each width, and none beyond', () => {
    for (let bits = 1; bits <= 32; bits += 1) {
      const beyond = 2n ** BigInt(bits);
      const highPart = (value: bigint) => ({ loBits: 1, hiBits: bits, lo: open(0n), hi: open(value) });
      expect(
        kernel.decrypt(secret, [highPart(beyond - 1n), highPart(beyond), highPart(beyond + 1n)]),
      ).toEqual([amount(2n * (beyond - 1n)), UNDECRYPTABLE, UNDECRYPTABLE]);
    }
  });

  it('decrypts under any secret', () => {
    const scalars = fc.oneof(
      fc.bigInt({ min: 1n, max: Scalar.ORDER - 1n }),
      fc.constantFrom(
        1n,
        2n,
        7n,
        8n,
        9n,
        15n,
        16n,
        Scalar.ORDER - 1n,
        Scalar.ORDER - 8n,
        (2n ** 252n - 1n) / 15n,
      ),
      // Equal digits: 8 is encoded as −8 with a carry.
      fc.integer({ min: 1, max: 15 }).map((digit) => (BigInt(digit) * (2n ** 248n - 1n)) / 15n),
    );
    fc.assert(
      fc.property(scalars, (scalar) => {
        const any = Scalar.toBytes(scalar);
        const split = encryptAmount(publicKeyOf(any), 987_654_321n);
        expect(kernel.decrypt(any, [split])).toEqual([amount(987_654_321n)]);
      }),
      { numRuns: 40 },
    );
  });

  it('refuses a secret that is not a canonical scalar, is zero, or has another length', () => {
    const tooLarge = [Scalar.ORDER, Scalar.ORDER + 1n, 2n ** 253n, 2n ** 256n - 1n].map(littleEndian);
    for (const none of [...tooLarge, new Uint8Array(32), new Uint8Array(31), new Uint8Array(33).fill(1)]) {
      expect(() => kernel.decrypt(none, [])).toThrow(RangeError);
    }
  });

  it('refuses every encoding of an element except the canonical one', () => {
    const field = 2n ** 255n - 19n;
    const good = { loBits: 16, hiBits: 32, lo: encrypt(publicKey, 3n), hi: encrypt(publicKey, 70_000n) };
    const others = (element: Uint8Array) => {
      const number = BigInt(`0x${Buffer.from(element).reverse().toString('hex')}`);
      return [field - number, number + 2n ** 255n, field - number + 2n ** 255n].map(littleEndian);
    };
    expect(kernel.decrypt(secret, [good])).toEqual([amount(3n + 70_000n * 65_536n)]);
    for (const part of ['lo', 'hi'] as const) {
      const [commitment, handle] = [good[part].subarray(0, 32), good[part].subarray(32)];
      const forged = [
        ...others(commitment).map((other) => Uint8Array.from([...other, ...handle])),
        ...others(handle).map((other) => Uint8Array.from([...commitment, ...other])),
      ];
      const splits = forged.map((bytes) => ({ ...good, [part]: bytes }));
      expect(kernel.decrypt(secret, splits)).toEqual(splits.map(() => UNDECRYPTABLE));
    }
  });

  it('refuses a point encoding that represents no element, although the curve would give an amount', () => {
    // RFC 9496, appendix A.2: minus one, for which y is zero; and others whose x·y is negative.
    const encodings = [
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      '3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e',
      'a45fdc55c76448c049a1ab33f17023edfb2be3581e9c7aade8a6125215e04220',
      'd483fe813c6ba647ebbfd3ec41adca1c6130c2beeee9d9bf065c8d151c5f396e',
      '8a2e1d30050198c65a54483123960ccc38aef6848e1ec8f5f780e8523769ba32',
      '32888462f8b486c68ad7dd9610be5192bbeaf3b443951ac1a8118419d9fa097b',
      '227142501b9d4355ccba290404bde41575b037693cef1f438c47f8fbf35d1165',
      '5c37cc491da847cfeb9281d407efc41e15144c876e0170b499a96a22ed31e01e',
      '445425117cb8c90edcbc7c1cc0e74f747f2c1efa5630a967c64f287792a48a4b',
    ];
    // Any point times 8 is in the group, so with this secret an accepted forged handle would give an amount.
    const eight = Scalar.toBytes(8n);
    const forge = (handle: Uint8Array, point: Point) => {
      const masked = ristretto255.Point.fromAffine(point.multiplyUnsafe(8n).toAffine());
      return Uint8Array.from([...masked.add(BASE.multiplyUnsafe(7n)).toBytes(), ...handle]);
    };
    const decrypt = (lo: Uint8Array) =>
      kernel.decrypt(eight, [{ ...TOKEN_2022_SPLIT, lo, hi: new Uint8Array(64) }]);

    const honest = BASE.multiplyUnsafe(99n).toBytes();
    expect(decrypt(forge(honest, pointOf(honest)))).toEqual([amount(7n)]);
    for (const encoding of encodings) {
      const handle = new Uint8Array(Buffer.from(encoding, 'hex'));
      expect(decrypt(forge(handle, pointOf(handle)))).toEqual([UNDECRYPTABLE]);
    }
  });

  it('leaves the same memory for any secret, ciphertexts and amounts', () => {
    const memoryAfter = (key: Uint8Array, value: bigint) => {
      kernel.decrypt(key, [encryptAmount(publicKeyOf(key), value)]);
      return createHash('sha256').update(new Uint8Array(exports.memory.buffer)).digest('hex');
    };
    const hashes = [
      memoryAfter(secret, 2n ** 48n - 1n),
      memoryAfter(Scalar.toBytes(Scalar.ORDER - 5n), 123_456_789_012n),
      memoryAfter(Scalar.toBytes(3n), 2n ** 36n),
    ];
    expect(new Set(hashes).size).toBe(1);
    expect(() => kernel.decrypt(new Uint8Array(32).fill(255), [])).toThrow(RangeError);
    expect(createHash('sha256').update(new Uint8Array(exports.memory.buffer)).digest('hex')).toBe(hashes[0]);
  });

  it('stores its table in a file, reads it at the next start, and rebuilds a damaged one', () => {
    const hashOfFile = () => createHash('sha256').update(readFileSync(tableFile)).digest('hex');
    expect(hashOfFile()).toBe(TABLE_SHA256);
    const written = statSync(tableFile, { bigint: true });
    createWasmAmountKernel({ tableFile });
    expect(statSync(tableFile, { bigint: true }).ino).toBe(written.ino);

    const bytes = readFileSync(tableFile);
    bytes[12_345_678]! ^= 1;
    writeFileSync(tableFile, bytes);
    const repaired = createWasmAmountKernel({ tableFile });
    expect(repaired.decrypt(secret, [encryptAmount(publicKey, 2n ** 47n)])).toEqual([amount(2n ** 47n)]);
    expect(hashOfFile()).toBe(TABLE_SHA256);
    expect(readdirSync(directory)).toEqual(['baby-steps.table']);
  });

  it('decrypts even if its table cannot be stored, and reports the failure', () => {
    const notices: string[] = [];
    const nowhere = path.join(tableFile, 'baby-steps.table');
    const homeless = openAmountKernel({ tableFile: nowhere, notice: (message) => notices.push(message) });
    expect(homeless.decrypt(secret, [encryptAmount(publicKey, 5n)])).toEqual([amount(5n)]);
    expect(notices).toEqual([expect.stringContaining('The table of baby steps is rebuilt at each start')]);
  });
});

function littleEndian(number: bigint): Uint8Array {
  return new Uint8Array(Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse());
}

interface KernelMemory {
  readonly memory: { readonly buffer: ArrayBuffer };
}

/** The created object, and the exports of its instance. */
function capture<Made>(make: () => Made): { exports: KernelMemory; kernel: Made } {
  const engine = (
    globalThis as unknown as { WebAssembly: { Instance: new (...parameters: object[]) => object } }
  ).WebAssembly;
  const { Instance } = engine;
  let exports: KernelMemory | undefined;
  engine.Instance = class extends Instance {
    constructor(...parameters: object[]) {
      super(...parameters);
      ({ exports } = this as unknown as { exports: KernelMemory });
    }
  };
  try {
    const kernel = make();
    return { exports: exports!, kernel };
  } finally {
    engine.Instance = Instance;
  }
}

type Point = InstanceType<typeof ed25519.Point>;

/** The point that decoding computes, whether or not it represents an element (RFC 9496, 4.3.1). */
function pointOf(encoding: Uint8Array): Point {
  const { Fp } = ed25519.Point;
  const { d } = ed25519.Point.CURVE();
  const s = Fp.fromBytes(encoding);
  const [u1, u2] = [Fp.sub(1n, Fp.sqr(s)), Fp.add(1n, Fp.sqr(s))];
  const v = Fp.neg(Fp.add(Fp.mul(d, Fp.sqr(u1)), Fp.sqr(u2)));
  const root = Fp.inv(Fp.sqrt(Fp.mul(v, Fp.sqr(u2))));
  const x = Fp.mul(Fp.mul(2n, s), Fp.mul(root, u2));
  const y = Fp.mul(u1, Fp.mul(Fp.sqr(root), Fp.mul(u2, v)));
  return ed25519.Point.fromAffine({ x: x & 1n ? Fp.neg(x) : x, y });
}
