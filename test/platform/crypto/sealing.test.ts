import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { createSealer } from '../../../src/platform/crypto/sealing.js';
import { LucarneError } from '../../../src/platform/kernel/errors.js';

const bytes = (maxLength = 200) => fc.uint8Array({ maxLength });
const masterKey = () => fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('a sealed value', () => {
  it('opens to what was sealed, under its key and in its context', () => {
    fc.assert(
      fc.property(masterKey(), bytes(), fc.string(), (key, plaintext, context) => {
        const sealed = createSealer(key).seal(plaintext, context);
        expect(createSealer(key).open(sealed, context)).toEqual(plaintext);
      }),
    );
  });

  it('does not open after a change of any byte', () => {
    const sealer = createSealer(new Uint8Array(32).fill(7));
    const sealed = sealer.seal(Buffer.from('auditor key'), 'auditor_key/1/secret');
    for (let index = 0; index < sealed.length; index += 1) {
      const tampered = Uint8Array.from(sealed);
      tampered[index]! ^= 0x01;
      expect(() => sealer.open(tampered, 'auditor_key/1/secret')).toThrow('A sealed value cannot be opened.');
    }
  });

  it('does not open when truncated to any length', () => {
    const sealer = createSealer(new Uint8Array(32).fill(7));
    const sealed = sealer.seal(Buffer.from('auditor key'), 'row');
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => sealer.open(sealed.subarray(0, length), 'row')).toThrow(LucarneError);
    }
  });

  it('does not open in another context', () => {
    fc.assert(
      fc.property(masterKey(), bytes(), fc.string(), fc.string(), (key, plaintext, context, other) => {
        fc.pre(context !== other);
        const sealer = createSealer(key);
        const sealed = sealer.seal(plaintext, context);
        expect(() => sealer.open(sealed, other)).toThrow(LucarneError);
      }),
    );
  });

  it('does not open under another master key', () => {
    const sealed = createSealer(new Uint8Array(32).fill(1)).seal(Buffer.from('secret'), 'row');
    expect(() => createSealer(new Uint8Array(32).fill(2)).open(sealed, 'row')).toThrow(LucarneError);
  });

  it('never repeats, even for the same plaintext', () => {
    const sealer = createSealer(new Uint8Array(32).fill(1));
    const made = Array.from({ length: 100 }, () =>
      Buffer.from(sealer.seal(Buffer.from('same'), 'row')).toString('hex'),
    );
    expect(new Set(made).size).toBe(100);
  });

  it('is 29 bytes longer than its plaintext and contains none of it', () => {
    const plaintext = Buffer.from('a secret worth at least thirty-two bytes');
    const sealed = createSealer(new Uint8Array(32)).seal(plaintext, 'row');
    expect(sealed.length).toBe(plaintext.length + 29);
    expect(Buffer.from(sealed).includes(plaintext.subarray(0, 8))).toBe(false);
  });

  it('fails to open with INTERNAL_SERVER_ERROR, without revealing key or context', () => {
    const sealer = createSealer(new Uint8Array(32).fill(0xab));
    const opening = () => sealer.open(new Uint8Array(64).fill(1), 'session/42');
    expect(opening).toThrow(new LucarneError('INTERNAL_SERVER_ERROR', 'A sealed value cannot be opened.'));
    expect(opening).toThrow(expect.objectContaining({ code: 'INTERNAL_SERVER_ERROR' }));
  });

  it('is version | nonce | AES-256-GCM body | tag with keys derived by a documented rule', () => {
    const key = new Uint8Array(32).fill(9);
    const nonce = Uint8Array.from({ length: 12 }, (_, index) => index);
    const sealed = createSealer(key, () => nonce).seal(Buffer.from('hello'), 'row');

    const subkey = new Uint8Array(hkdfSync('sha256', key, '', 'lucarne sealing v1', 32));
    const recordKey = createHmac('sha256', subkey).update('row').digest();
    const decipher = createDecipheriv('aes-256-gcm', recordKey, nonce);
    decipher.setAAD(Buffer.from('lucarne sealed v1\nrow')).setAuthTag(sealed.subarray(-16));
    expect(Array.from(sealed.subarray(0, 13))).toEqual([1, ...nonce]);
    expect(decipher.update(sealed.subarray(13, -16), undefined, 'utf8') + decipher.final('utf8')).toBe(
      'hello',
    );
  });

  it('needs a master key of 32 bytes', () => {
    expect(() => createSealer(new Uint8Array(31))).toThrow(RangeError);
  });
});
