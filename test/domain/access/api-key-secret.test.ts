import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import {
  displayPrefixOf,
  hashApiKeySecret,
  newApiKeySecret,
  parseApiKeySecret,
} from '../../../src/domain/access/authentication/api-key.js';
import { sha256 } from '../../../src/platform/crypto/index.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const entropy = fc.uint8Array({ minLength: 20, maxLength: 20 });
const secretOf = (bytes: Uint8Array) => newApiKeySecret(() => bytes);

describe('the secret of an API key', () => {
  it('is lck_, 27 base62 characters and a 6-character checksum, and can be parsed', () => {
    fc.assert(
      fc.property(entropy, (bytes) => {
        const secret = secretOf(bytes);
        expect(secret).toMatch(/^lck_[0-9A-Za-z]{33}$/);
        expect(parseApiKeySecret(secret)).toBe(secret);
      }),
    );
  });

  it('preserves all 160 bits: different randomness gives a different secret', () => {
    fc.assert(
      fc.property(entropy, fc.nat({ max: 159 }), (bytes, bit) => {
        const other = Uint8Array.from(bytes);
        other[bit >> 3] = other[bit >> 3]! ^ (1 << (bit & 7));
        expect(secretOf(other)).not.toBe(secretOf(bytes));
      }),
    );
  });

  it('has the CRC-32 (ISO-HDLC) of its random part as its checksum', () => {
    // Zero bytes give 27 times '0'. The CRC is computed from the definition of the polynomial, bit by bit, in base 62.
    let crc = 0xffffffff;
    for (const character of '0'.repeat(27)) {
      crc ^= character.charCodeAt(0);
      for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    let value = (crc ^ 0xffffffff) >>> 0;
    let expected = '';
    for (let digit = 0; digit < 6; digit += 1) {
      expected = ALPHABET.charAt(value % 62) + expected;
      value = Math.floor(value / 62);
    }
    expect(secretOf(new Uint8Array(20))).toBe(`lck_${'0'.repeat(27)}${expected}`);
  });

  it('is refused if any one character is mistyped', () => {
    fc.assert(
      fc.property(entropy, fc.nat({ max: 32 }), fc.nat({ max: 60 }), (bytes, position, shift) => {
        const secret = secretOf(bytes);
        const at = 4 + position;
        const replacement = ALPHABET.charAt((ALPHABET.indexOf(secret.charAt(at)) + 1 + shift) % 62);
        expect(parseApiKeySecret(secret.slice(0, at) + replacement + secret.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it('is not found in unrelated text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        expect(parseApiKeySecret(text)).toBeUndefined();
      }),
    );
    const secret = secretOf(new Uint8Array(20).fill(7));
    for (const text of [` ${secret}`, `${secret}\n`, secret.toLowerCase(), secret.slice(4), `${secret}0`]) {
      expect(parseApiKeySecret(text)).toBeUndefined();
    }
  });

  it('shows only ten characters, and is hashed with SHA-256', () => {
    const secret = secretOf(new Uint8Array(20).fill(200));
    expect(displayPrefixOf(secret)).toBe(secret.slice(0, 10));
    expect(hashApiKeySecret(secret)).toEqual(sha256(secret));
  });
});
