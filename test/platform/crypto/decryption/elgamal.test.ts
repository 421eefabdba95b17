import { describe, expect, it } from '@jest/globals';
import { ristretto255, ristretto255_hasher } from '@noble/curves/ed25519.js';
import { sha3_512 } from '@noble/hashes/sha3.js';
import {
  ElGamalCiphertext,
  ElGamalKeypair,
  ElGamalPubkey,
  ElGamalSecretKey,
  PedersenOpening,
} from '@solana/zk-sdk/node';
import { fc } from '../../../kit/properties.js';
import {
  combineCiphertexts,
  decryptToPoint,
  ELGAMAL_H,
  generateElGamalKeypair,
  parseCiphertext,
  parsePoint,
  parsePublicKey,
  parseSecret,
  publicKeyOf,
  serializeCiphertext,
} from '../../../../src/platform/crypto/decryption/elgamal.js';
import { encrypt } from '../../../kit/ledger/encrypt.js';
import { RISTRETTO_INVALID, RISTRETTO_MULTIPLES } from '../../../vectors/ristretto255.js';

const G = ristretto255.Point.BASE;
const ORDER = ristretto255.Point.Fn.ORDER;
const IDENTITY = new Uint8Array(32);

const fromHex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const scalarBytes = (value: bigint) =>
  Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 255n));
const scalar = () => fc.bigInt({ min: 1n, max: ORDER - 1n }).map(scalarBytes);
const u64 = () => fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const multipleOfG = (value: bigint) => G.multiplyUnsafe(value).toHex();
const opened = (secret: Uint8Array, ciphertext: Uint8Array) =>
  decryptToPoint(parseSecret(secret), parseCiphertext(ciphertext)!).toHex();

describe('ristretto255 encodings', () => {
  it('are those of RFC 9496, A.1', () => {
    for (const [multiple, encoding] of RISTRETTO_MULTIPLES.entries()) {
      expect(multipleOfG(BigInt(multiple))).toBe(encoding);
      expect(parsePoint(fromHex(encoding))?.toHex()).toBe(encoding);
    }
  });

  it.each(Object.entries(RISTRETTO_INVALID))('are refused with %s (RFC 9496, A.2)', (_reason, encodings) => {
    for (const encoding of encodings) {
      expect(parsePoint(fromHex(encoding))).toBeUndefined();
      expect(parsePublicKey(fromHex(encoding))).toBeUndefined();
      expect(parseCiphertext(Buffer.concat([fromHex(encoding), G.toBytes()]))).toBeUndefined();
      expect(parseCiphertext(Buffer.concat([G.toBytes(), fromHex(encoding)]))).toBeUndefined();
    }
  });

  it('are unique: parsed encodings are written byte for byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const point = parsePoint(bytes);
        if (point !== undefined) expect(point.toBytes()).toEqual(bytes);
      }),
    );
  });
});

describe('ElGamal keys', () => {
  it('use Solana’s base H, whose logarithm nobody knows', () => {
    const derived = ristretto255_hasher.deriveToCurve!(sha3_512(G.toBytes()));
    expect(ELGAMAL_H.equals(derived)).toBe(true);
    expect(ELGAMAL_H.toHex()).toBe('8c9240b456a9e6dc65c377a1048d745f94a08cdb7f44cbcd7b46f34048871134');
  });

  it('have the public key that zk-sdk derives', () => {
    fc.assert(
      fc.property(scalar(), (secret) => {
        const theirs = ElGamalPubkey.fromSecretKey(ElGamalSecretKey.fromBytes(secret));
        expect(toHex(publicKeyOf(secret))).toBe(toHex(theirs.toBytes()));
      }),
      { numRuns: 20 },
    );
  });

  it('are generated fresh, as a pair', () => {
    const made = Array.from({ length: 5 }, () => generateElGamalKeypair());
    expect(new Set(made.map(({ secret }) => toHex(secret))).size).toBe(5);
    for (const { secret, publicKey } of made) expect(publicKeyOf(secret)).toEqual(publicKey);
  });

  it('are not generated from an all-zero random source', () => {
    expect(() => generateElGamalKeypair((length) => new Uint8Array(length))).toThrow(RangeError);
  });

  it.each([
    ['zero', scalarBytes(0n)],
    ['the group order', scalarBytes(ORDER)],
    ['more than the group order', scalarBytes(ORDER + 1n)],
    ['all ones', new Uint8Array(32).fill(255)],
    ['31 bytes', new Uint8Array(31).fill(1)],
    ['33 bytes', Uint8Array.of(...scalarBytes(1n), 0)],
  ])('cannot have the secret %s', (_what, secret) => {
    expect(() => parseSecret(secret)).toThrow('Not an ElGamal secret.');
    expect(() => publicKeyOf(secret)).toThrow('Not an ElGamal secret.');
  });

  it('cannot have the identity as public key', () => {
    expect(parsePublicKey(IDENTITY)).toBeUndefined();
    expect(() => encrypt(IDENTITY, 1n)).toThrow('Not an ElGamal public key.');
  });
});

describe('ElGamal ciphertexts', () => {
  it('decrypt under the secret to value·G', () => {
    fc.assert(
      fc.property(scalar(), u64(), (secret, value) => {
        expect(opened(secret, encrypt(publicKeyOf(secret), value))).toBe(multipleOfG(value));
      }),
      { numRuns: 30 },
    );
  });

  it('decrypt under our secret if they are made by zk-sdk', () => {
    const pair = new ElGamalKeypair();
    for (const value of [0n, 1n, 2n ** 32n, 2n ** 64n - 1n]) {
      const ciphertext = pair.pubkey().encryptU64(value).toBytes();
      expect(opened(pair.secret().toBytes(), ciphertext)).toBe(multipleOfG(value));
    }
  });

  it('decrypt in zk-sdk if they are made by us', () => {
    const { secret, publicKey } = generateElGamalKeypair();
    const theirs = ElGamalSecretKey.fromBytes(secret);
    for (const value of [0n, 65_536n, 2n ** 32n - 1n]) {
      expect(theirs.decrypt(ElGamalCiphertext.fromBytes(encrypt(publicKey, value))!)).toBe(value);
    }
  });

  it('have a handle and commitment of the same opening, as in zk-sdk', () => {
    const theirs = new ElGamalKeypair();
    const withZero = theirs.pubkey().encryptWith(0n, new PedersenOpening()).toBytes();
    const { commitment, handle } = parseCiphertext(withZero)!;
    const secret = parseSecret(theirs.secret().toBytes());
    expect(handle.multiply(secret).equals(commitment)).toBe(true);
  });

  it('do not decrypt under another secret', () => {
    fc.assert(
      fc.property(scalar(), scalar(), u64(), (secret, other, value) => {
        fc.pre(toHex(secret) !== toHex(other));
        expect(opened(other, encrypt(publicKeyOf(secret), value))).not.toBe(multipleOfG(value));
      }),
      { numRuns: 20 },
    );
  });

  it('never repeat, even for the same value', () => {
    const { publicKey } = generateElGamalKeypair();
    expect(encrypt(publicKey, 5n)).not.toEqual(encrypt(publicKey, 5n));
  });

  it('combine from lo and hi to the ciphertext of lo + hi·2^bits', () => {
    const part = () => fc.bigInt({ min: 0n, max: 2n ** 31n });
    fc.assert(
      fc.property(scalar(), part(), part(), fc.integer({ min: 0, max: 32 }), (secret, lo, hi, bits) => {
        const publicKey = publicKeyOf(secret);
        const parse = (value: bigint) => parseCiphertext(encrypt(publicKey, value))!;
        const combined = serializeCiphertext(combineCiphertexts(parse(lo), parse(hi), bits));
        expect(opened(secret, combined)).toBe(multipleOfG(lo + (hi << BigInt(bits))));
      }),
      { numRuns: 20 },
    );
  });

  it('are unencrypted with an identity handle, and decrypt like any other', () => {
    const { secret, publicKey } = generateElGamalKeypair();
    const ciphertext = encrypt(publicKey, 7n, scalarBytes(0n));
    expect(ciphertext.subarray(32)).toEqual(IDENTITY);
    expect(toHex(ciphertext.subarray(0, 32))).toBe(multipleOfG(7n));
    expect(opened(secret, ciphertext)).toBe(multipleOfG(7n));
  });

  it('are exactly 64 bytes', () => {
    const ciphertext = encrypt(generateElGamalKeypair().publicKey, 1n);
    expect(serializeCiphertext(parseCiphertext(ciphertext)!)).toEqual(ciphertext);
    expect(parseCiphertext(ciphertext.subarray(1))).toBeUndefined();
    expect(parseCiphertext(Uint8Array.of(...ciphertext, 0))).toBeUndefined();
    expect(parseCiphertext(new Uint8Array())).toBeUndefined();
  });

  it('are not created for a value beyond 64 bits or with an invalid opening', () => {
    const { publicKey } = generateElGamalKeypair();
    expect(() => encrypt(publicKey, -1n)).toThrow(RangeError);
    expect(() => encrypt(publicKey, 2n ** 64n)).toThrow(RangeError);
    expect(() => encrypt(publicKey, 1n, scalarBytes(ORDER))).toThrow('An opening is a canonical scalar.');
  });
});
