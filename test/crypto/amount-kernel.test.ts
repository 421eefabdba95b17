import { afterAll, describe, expect, it } from '@jest/globals';
import { ristretto255 } from '@noble/curves/ed25519.js';
import { ElGamalKeypair } from '@solana/zk-sdk/node';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  AMOUNT_KERNEL_SHA256,
  readKernelModule,
  TABLE_SHA256,
} from '../../src/crypto/amount-kernel/kernel-files.js';
import {
  createWasmAmountKernel,
  openAmountKernel,
} from '../../src/crypto/amount-kernel/wasm-amount-kernel.js';
import { encrypt, publicKeyOf } from '../../src/crypto/elgamal.js';
import { TOKEN_2022_SPLIT } from '../../src/crypto/split-ciphertext.js';
import { fc } from '../kit/properties.js';
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
/** A value in the open: its point, and the identity for a handle. Every key decrypts it. */
const open = (value: bigint) =>
  Uint8Array.from([...BASE.multiplyUnsafe(value).toBytes(), ...new Uint8Array(32)]);

describe('the kernel in WebAssembly', () => {
  it('is the module whose hash is written down', () => {
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

  it('finds a value at every border of its search', () => {
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
      const of = (value: bigint) => ({ loBits: 1, hiBits: bits, lo: open(0n), hi: open(value) });
      expect(kernel.decrypt(secret, [of(beyond - 1n), of(beyond), of(beyond + 1n)])).toEqual([
        amount(2n * (beyond - 1n)),
        UNDECRYPTABLE,
        UNDECRYPTABLE,
      ]);
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
      // Digits that are all the same: 8 is written as −8 with a carry.
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

  it('refuses a secret that is no canonical scalar, is zero, or has another length', () => {
    const tooLarge = [Scalar.ORDER, Scalar.ORDER + 1n, 2n ** 253n, 2n ** 256n - 1n].map(littleEndian);
    for (const none of [...tooLarge, new Uint8Array(32), new Uint8Array(31), new Uint8Array(33).fill(1)]) {
      expect(() => kernel.decrypt(none, [])).toThrow(RangeError);
    }
  });

  it('takes no other encoding of an element than its canonical one', () => {
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

  it.each(invalidEncodings())('takes %s for no element', (_, encodings) => {
    const zeros = new Uint8Array(32);
    const splits = encodings
      .map((hex) => new Uint8Array(Buffer.from(hex, 'hex')))
      .flatMap((bad) => [Uint8Array.from([...bad, ...zeros]), Uint8Array.from([...zeros, ...bad])])
      .map((part) => ({ ...TOKEN_2022_SPLIT, lo: part, hi: new Uint8Array(64) }));
    expect(kernel.decrypt(secret, splits)).toEqual(splits.map(() => UNDECRYPTABLE));
  });

  it('leaves the same memory, whatever the secret, the ciphertexts and the amounts were', () => {
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

  it('keeps its table in a file, reads it at the next start, and makes a damaged one anew', () => {
    const hashOfFile = () => createHash('sha256').update(readFileSync(tableFile)).digest('hex');
    expect(hashOfFile()).toBe(TABLE_SHA256);
    const written = statSync(tableFile, { bigint: true });
    createWasmAmountKernel({ tableFile });
    expect(statSync(tableFile, { bigint: true }).ino).toBe(written.ino);

    const bytes = readFileSync(tableFile);
    bytes[12_345_678]! ^= 1;
    writeFileSync(tableFile, bytes);
    const mended = createWasmAmountKernel({ tableFile });
    expect(mended.decrypt(secret, [encryptAmount(publicKey, 2n ** 47n)])).toEqual([amount(2n ** 47n)]);
    expect(hashOfFile()).toBe(TABLE_SHA256);
    expect(readdirSync(directory)).toEqual(['baby-steps.table']);
  });

  it('decrypts where its table cannot be kept, and says so', () => {
    const notices: string[] = [];
    const nowhere = path.join(tableFile, 'baby-steps.table');
    const homeless = openAmountKernel({ tableFile: nowhere, notice: (message) => notices.push(message) });
    expect(homeless.decrypt(secret, [encryptAmount(publicKey, 5n)])).toEqual([amount(5n)]);
    expect(notices).toEqual([expect.stringContaining('The table of baby steps is built anew at each start')]);
  });
});

function littleEndian(number: bigint): Uint8Array {
  return new Uint8Array(Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse());
}

interface KernelMemory {
  readonly memory: { readonly buffer: ArrayBuffer };
}

/** What was made, and the exports of the instance in it. */
function capture<Made>(make: () => Made): { exports: KernelMemory; kernel: Made } {
  const engine = (globalThis as unknown as { WebAssembly: { Instance: new (...given: object[]) => object } })
    .WebAssembly;
  const { Instance } = engine;
  let exports: KernelMemory | undefined;
  engine.Instance = class extends Instance {
    constructor(...given: object[]) {
      super(...given);
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

/** RFC 9496, appendix A.2. */
function invalidEncodings(): [string, string[]][] {
  return [
    [
      'a number that is not canonical',
      [
        '00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
        'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
        'f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
        'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      ],
    ],
    [
      'a negative number',
      [
        '0100000000000000000000000000000000000000000000000000000000000000',
        '01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
        'ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20',
        'c34c4e1826e5d403b78e246e88aa051c36ccf0aafebffe137d148a2bf9104562',
        'c940e5a4404157cfb1628b108db051a8d439e1a421394ec4ebccb9ec92a8ac78',
        '47cfc5497c53dc8e61c91d17fd626ffb1c49e2bca94eed052281b510b1117a24',
        'f1c6165d33367351b0da8f6e4511010c68174a03b6581212c71c0e1d026c3c72',
        '87260f7a2f12495118360f02c26a470f450dadf34a413d21042b43b9d93e1309',
      ],
    ],
    [
      'what has no root',
      [
        '26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371',
        '4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f',
        'de6a7b00deadc788eb6b6c8d20c0ae96c2f2019078fa604fee5b87d6e989ad7b',
        'bcab477be20861e01e4a0e295284146a510150d9817763caf1a6f4b422d67042',
        '2a292df7e32cababbd9de088d1d1abec9fc0440f637ed2fba145094dc14bea08',
        'f4a9e534fc0d216c44b218fa0c42d99635a0127ee2e53c712f70609649fdff22',
        '8268436f8c4126196cf64b3c7ddbda90746a378625f9813dd9b8457077256731',
        '2810e5cbc2cc4d4eece54f61c6f69758e289aa7ab440b3cbeaa21995c2f4232b',
      ],
    ],
    [
      'a negative product of the coordinates',
      [
        '3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e',
        'a45fdc55c76448c049a1ab33f17023edfb2be3581e9c7aade8a6125215e04220',
        'd483fe813c6ba647ebbfd3ec41adca1c6130c2beeee9d9bf065c8d151c5f396e',
        '8a2e1d30050198c65a54483123960ccc38aef6848e1ec8f5f780e8523769ba32',
        '32888462f8b486c68ad7dd9610be5192bbeaf3b443951ac1a8118419d9fa097b',
        '227142501b9d4355ccba290404bde41575b037693cef1f438c47f8fbf35d1165',
        '5c37cc491da847cfeb9281d407efc41e15144c876e0170b499a96a22ed31e01e',
        '445425117cb8c90edcbc7c1cc0e74f747f2c1efa5630a967c64f287792a48a4b',
      ],
    ],
    ['minus one, which makes y zero', ['ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f']],
  ];
}
