import { describe, expect, it } from '@jest/globals';
import { ristretto255 } from '@noble/curves/ed25519.js';
import { ElGamalKeypair, GroupedElGamalCiphertext3Handles, PedersenOpening } from '@solana/zk-sdk/node';
import { fc } from '../../../kit/properties.js';
import { createAmountKernel } from '../../../../src/platform/crypto/decryption/amount-decryption.js';
import { createWasmAmountKernel } from '../../../../src/platform/crypto/amount-kernel/wasm-amount-kernel.js';
import { generateElGamalKeypair } from '../../../../src/platform/crypto/decryption/elgamal.js';
import { encrypt } from '../../../kit/ledger/encrypt.js';
import { encryptAmount, encryptWithCancellingOpenings } from '../encrypt-amount.js';

const { secret, publicKey } = generateElGamalKeypair();
const UNDECRYPTABLE = { kind: 'undecryptable' };
const SPLIT = { loBits: 16, hiBits: 32 };

describe.each([
  { where: 'in JavaScript', kernel: createAmountKernel() },
  { where: 'in WebAssembly', kernel: createWasmAmountKernel() },
])('an encrypted amount, $where,', ({ kernel }) => {
  it.each([0n, 1n, 65_535n, 65_536n, 2n ** 40n - 1n, 2n ** 48n - 1n])('decrypts for %s', (value) => {
    expect(kernel.decrypt(secret, [encryptAmount(publicKey, value)])).toEqual([{ kind: 'amount', value }]);
  });

  it('decrypts at its position among others, for any amount', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 48n - 1n }), { maxLength: 4 }), (values) => {
        const ciphertexts = values.map((value) => encryptAmount(publicKey, value));
        expect(kernel.decrypt(secret, ciphertexts)).toEqual(
          values.map((value) => ({ kind: 'amount', value })),
        );
      }),
      { numRuns: 15 },
    );
  });

  it('decrypts from the auditor ciphertexts of a transfer that zk-sdk made', () => {
    const [source, destination, auditor] = [new ElGamalKeypair(), new ElGamalKeypair(), new ElGamalKeypair()];
    const auditorCiphertext = (value: bigint) => {
      const grouped = GroupedElGamalCiphertext3Handles.encryptWith(
        source.pubkey(),
        destination.pubkey(),
        auditor.pubkey(),
        value,
        new PedersenOpening(),
      ).toBytes();
      // commitment | source handle | destination handle | auditor handle
      return Uint8Array.from([...grouped.subarray(0, 32), ...grouped.subarray(96, 128)]);
    };
    const value = 1_234_567_890n;
    const ciphertext = {
      ...SPLIT,
      lo: auditorCiphertext(value & 0xffffn),
      hi: auditorCiphertext(value >> 16n),
    };
    expect(kernel.decrypt(auditor.secret().toBytes(), [ciphertext])).toEqual([{ kind: 'amount', value }]);
  });

  it('decrypts if a sender cancelled the openings', () => {
    const ciphertext = encryptWithCancellingOpenings(publicKey, 300_000n);
    expect(kernel.decrypt(secret, [ciphertext])).toEqual([{ kind: 'amount', value: 300_000n }]);
  });

  it('is undecryptable under another key', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 48n - 1n }), (value) => {
        const other = generateElGamalKeypair();
        expect(kernel.decrypt(other.secret, [encryptAmount(publicKey, value)])).toEqual([UNDECRYPTABLE]);
      }),
      { numRuns: 10 },
    );
  });

  it('is undecryptable if a part is out of range, even if the sum would fit', () => {
    const small = encrypt(publicKey, 1n);
    for (const lo of [65_536n, 100_000n, 2n ** 17n - 1n, 2n ** 20n]) {
      expect(kernel.decrypt(secret, [{ ...SPLIT, lo: encrypt(publicKey, lo), hi: small }])).toEqual([
        UNDECRYPTABLE,
      ]);
    }
    for (const hi of [2n ** 32n, 2n ** 40n]) {
      expect(kernel.decrypt(secret, [{ ...SPLIT, lo: small, hi: encrypt(publicKey, hi) }])).toEqual([
        UNDECRYPTABLE,
      ]);
    }
  });

  it('is undecryptable if forged from points that encrypt nothing', () => {
    const forged = (divisor: bigint) => {
      const point = ristretto255.Point.BASE.multiply(ristretto255.Point.Fn.ORDER / divisor).toBytes();
      return Uint8Array.from([...point, ...point]);
    };
    const ciphertext = { ...SPLIT, lo: encrypt(publicKey, 1n), hi: forged(3n) };
    expect(kernel.decrypt(secret, [ciphertext])).toEqual([UNDECRYPTABLE]);
    expect(kernel.decrypt(secret, [{ ...ciphertext, lo: forged(5n) }])).toEqual([UNDECRYPTABLE]);
  });

  it('is undecryptable if malformed, and does not affect others in the same batch', () => {
    const good = encryptAmount(publicKey, 9n);
    const malformed = [
      { ...good, lo: new Uint8Array(63) },
      { ...good, hi: new Uint8Array(65) },
      { ...good, lo: new Uint8Array(64).fill(255) },
      { ...good, hi: new Uint8Array(0) },
    ];
    for (const bad of malformed) {
      expect(kernel.decrypt(secret, [good, bad, good])).toEqual([
        { kind: 'amount', value: 9n },
        UNDECRYPTABLE,
        { kind: 'amount', value: 9n },
      ]);
    }
  });

  it('is an unencrypted zero if it is 64 zero bytes', () => {
    const ciphertext = { ...SPLIT, lo: new Uint8Array(64), hi: new Uint8Array(64) };
    expect(kernel.decrypt(secret, [ciphertext])).toEqual([{ kind: 'amount', value: 0n }]);
  });

  it('splits a value into parts of the given widths', () => {
    const ciphertext = {
      lo: encrypt(publicKey, 255n),
      hi: encrypt(publicKey, 65_535n),
      loBits: 8,
      hiBits: 16,
    };
    expect(kernel.decrypt(secret, [ciphertext])).toEqual([{ kind: 'amount', value: 2n ** 24n - 1n }]);
    expect(kernel.decrypt(secret, [{ ...ciphertext, loBits: 7 }])).toEqual([UNDECRYPTABLE]);
    expect(() => kernel.decrypt(secret, [{ ...ciphertext, hiBits: 33 }])).toThrow(RangeError);
  });

  it('is not decrypted under an invalid secret', () => {
    expect(() => kernel.decrypt(new Uint8Array(32), [encryptAmount(publicKey, 1n)])).toThrow(RangeError);
  });
});
