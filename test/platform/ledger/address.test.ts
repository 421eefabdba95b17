import { describe, expect, it } from '@jest/globals';
import { PublicKey } from '@solana/web3.js';
import { fc } from '../../kit/properties.js';
import {
  address,
  addressBytes,
  addressFromBytes,
  isAddress,
  isSignature,
  parseAddress,
  signature,
} from '../../../src/platform/ledger/index.js';
import { base58 } from '../../../src/platform/kernel/encoding/bytes.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe('an address', () => {
  it('round-trips with web3.js', () => {
    fc.assert(
      fc.property(bytes(32), (key) => {
        const text = new PublicKey(key).toBase58();
        expect(addressFromBytes(key)).toBe(text);
        expect(addressBytes(address(text))).toEqual(key);
      }),
    );
  });

  it('is exactly 32 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (key) => {
        expect(isAddress(base58.encode(key))).toBe(key.length === 32);
      }),
    );
  });

  it('is refused if it is invalid in a body, and the error names the member', () => {
    for (const value of ['', 'abc', 7, null, '0'.repeat(43), aLongText]) {
      expect(() => parseAddress('mintAddress', value)).toThrow('mintAddress must be an address');
    }
  });
});

describe('a signature', () => {
  it('is exactly 64 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 60, maxLength: 70 }), (name) => {
        expect(isSignature(base58.encode(name))).toBe(name.length === 64);
      }),
    );
  });

  it('is refused if it is invalid', () => {
    expect(() => signature('abc')).toThrow(TypeError);
  });
});

const aLongText = '1'.repeat(1_000_000);
