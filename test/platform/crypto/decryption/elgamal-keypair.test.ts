import { describe, expect, it } from '@jest/globals';
import { ElGamalKeypair } from '@solana/zk-sdk/node';
import {
  formatElGamalKeypair,
  generateElGamalKeypair,
  parseElGamalKeypair,
} from '../../../../src/platform/crypto/index.js';
import { base64 } from '../../../../src/platform/kernel/encoding/bytes.js';
import { fc } from '../../../kit/properties.js';

const ORDER_OF_THE_GROUP = (1n << 252n) + 27742317777372353535851937790883648493n;

/** 32 bytes, little-endian. */
const scalar = (value: bigint) =>
  Uint8Array.from({ length: 32 }, (_, at) => Number((value >> BigInt(8 * at)) & 255n));

describe('a keypair as text', () => {
  it('is parsed as zk-sdk writes it', () => {
    const keypair = new ElGamalKeypair();
    // The file format of the crate's `ElGamalKeypair`: the public key, then the secret.
    const written = [...keypair.pubkey().toBytes(), ...keypair.secret().toBytes()];
    const parsed = parseElGamalKeypair(JSON.stringify(written));
    expect(parsed.publicKey).toEqual(keypair.pubkey().toBytes());
    expect(parsed.secret).toEqual(keypair.secret().toBytes());
  });

  it('is parsed from base64 of both keys, or of only the secret', () => {
    const { secret, publicKey } = generateElGamalKeypair();
    for (const bytes of [secret, new Uint8Array([...publicKey, ...secret])])
      expect(parseElGamalKeypair(` ${base64.encode(bytes)}\n`)).toEqual({ secret, publicKey });
  });

  it('is written as it is parsed', () => {
    const keypair = generateElGamalKeypair();
    expect(parseElGamalKeypair(formatElGamalKeypair(keypair))).toEqual(keypair);
  });

  it.each([
    [
      'a public key of another secret',
      'has a public key that does not belong to its secret',
      () => {
        const [one, other] = [generateElGamalKeypair(), generateElGamalKeypair()];
        return formatElGamalKeypair({ publicKey: one.publicKey, secret: other.secret });
      },
    ],
    ['the secret zero', 'has a secret that is zero', () => base64.encode(scalar(0n))],
    [
      'a secret that is not canonical',
      'not a canonical scalar',
      () => base64.encode(scalar(ORDER_OF_THE_GROUP + 1n)),
    ],
    ['31 bytes', 'must be a JSON array', () => base64.encode(new Uint8Array(31).fill(1))],
    ['65 numbers', 'must be a JSON array', () => JSON.stringify(Array(65).fill(1))],
    ['a number over 255', 'must be a JSON array', () => JSON.stringify([256, ...Array<number>(63).fill(1)])],
    ['nothing', 'must be a JSON array', () => ''],
  ])('is refused with %s, in words that hold nothing of it', (_, message, text) => {
    expect(() => parseElGamalKeypair(text())).toThrow(
      expect.objectContaining({ name: 'RangeError', message: expect.stringContaining(message) }),
    );
  });

  it('is refused for any other text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(() => parseElGamalKeypair(text)).toThrow(RangeError);
      }),
    );
  });
});
