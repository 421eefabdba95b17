import { describe, expect, it } from '@jest/globals';
import { ed25519, ED25519_TORSION_SUBGROUP } from '@noble/curves/ed25519.js';
import { fc } from '../../kit/properties.js';
import {
  generateSigningKey,
  noteKeyId,
  parseVerifierKey,
  sign,
  signingPublicKey,
  verifierKey,
  verify,
} from '../../../src/platform/crypto/signing.js';
import { parseVerifierKey as parseInBrowsers } from '../../../src/platform/crypto/signing.browser.js';
import { ED25519_VECTORS, SIGNED_NOTE_VECTOR } from '../../vectors/ed25519.js';

const fromHex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const seed = () => fc.uint8Array({ minLength: 32, maxLength: 32 });
const message = () => fc.uint8Array({ maxLength: 100 });

describe('Ed25519 signatures', () => {
  it.each(ED25519_VECTORS)('match RFC 8032, 7.1: $name', (vector) => {
    const secret = fromHex(vector.secret);
    expect(toHex(signingPublicKey(secret))).toBe(vector.publicKey);
    expect(toHex(sign(secret, fromHex(vector.message)))).toBe(vector.signature);
    expect(verify(fromHex(vector.publicKey), fromHex(vector.message), fromHex(vector.signature))).toBe(true);
  });

  it('agree with an independent implementation', () => {
    fc.assert(
      fc.property(seed(), message(), (secret, text) => {
        expect(sign(secret, text)).toEqual(ed25519.sign(text, secret));
        expect(verify(ed25519.getPublicKey(secret), text, ed25519.sign(text, secret))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('fail after a change of any byte of the signature', () => {
    const { secret, publicKey } = generateSigningKey();
    const signature = sign(secret, Buffer.from('checkpoint'));
    for (let index = 0; index < signature.length; index += 1) {
      const tampered = Uint8Array.from(signature);
      tampered[index]! ^= 0x01;
      expect(verify(publicKey, Buffer.from('checkpoint'), tampered)).toBe(false);
    }
  });

  it('fail for another message or another key', () => {
    const { secret, publicKey } = generateSigningKey();
    const signature = sign(secret, Buffer.from('one'));
    expect(verify(publicKey, Buffer.from('two'), signature)).toBe(false);
    expect(verify(generateSigningKey().publicKey, Buffer.from('one'), signature)).toBe(false);
  });

  it('are refused with s + L in place of s: one message has one signature', () => {
    const { secret, publicKey } = generateSigningKey();
    const signature = sign(secret, Buffer.from('one'));
    const Scalar = ed25519.Point.Fn;
    let s = Scalar.fromBytes(signature.subarray(32)) + Scalar.ORDER;
    const malleated = Uint8Array.from(signature);
    for (let index = 32; index < 64; index += 1, s >>= 8n) malleated[index] = Number(s & 255n);
    expect(verify(publicKey, Buffer.from('one'), malleated)).toBe(false);
  });

  it('fail, and do not throw, for any key or signature bytes', () => {
    fc.assert(
      fc.property(message(), message(), message(), (publicKey, text, signature) => {
        expect(verify(publicKey, text, signature)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(
        seed(),
        message(),
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        (key, text, signature) => {
          expect(verify(key, text, signature)).toBe(false);
        },
      ),
    );
  });

  it('need a seed of 32 bytes', () => {
    expect(() => sign(new Uint8Array(31), new Uint8Array())).toThrow(RangeError);
  });
});

describe('C2SP signed-note keys', () => {
  it('match what Go reads: the key of sum.golang.org', () => {
    const parsed = parseVerifierKey(SIGNED_NOTE_VECTOR.verifierKey)!;
    expect(parsed.name).toBe(SIGNED_NOTE_VECTOR.name);
    expect(toHex(noteKeyId(parsed.name, parsed.publicKey))).toBe(SIGNED_NOTE_VECTOR.keyId);
    expect(verifierKey(parsed.name, parsed.publicKey)).toBe(SIGNED_NOTE_VECTOR.verifierKey);
  });

  it('can be formatted and parsed', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[^\s+]+$/u), seed(), (name, secret) => {
        const publicKey = signingPublicKey(secret);
        expect(parseVerifierKey(verifierKey(name, publicKey))).toEqual({ name, publicKey });
      }),
    );
  });

  it.each([
    ['a key id of another name', 'sum.golang.com+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8'],
    ['a space in the name', 'sum golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8'],
    ['upper-case hex', 'sum.golang.org+033DE0AE+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8'],
    ['another key type', 'sum.golang.org+033de0ae+As4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8'],
    ['a short key', 'sum.golang.org+033de0ae+Ac4zctda0e5e'],
    ['a line after it', 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8\n'],
    ['no name', '+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8'],
    ['nothing', ''],
  ])('are refused with %s', (_reason, text) => {
    expect(parseVerifierKey(text)).toBeUndefined();
  });

  it.each([
    ...ED25519_TORSION_SUBGROUP.map(
      (point) => [`the point ${point.slice(0, 8)}… of small order`, point] as const,
    ),
    ['the identity, written in another way', `${'ee' + 'ff'.repeat(30)}7f`],
    ['bytes that are no point', '02'.repeat(32)],
  ])('are refused with %s, for which anyone signs or nobody, in browsers, too', (_, point) => {
    const text = verifierKey('lucarne.example', fromHex(point));
    expect(parseVerifierKey(text)).toBeUndefined();
    expect(parseInBrowsers(text)).toBeUndefined();
  });

  it('are not created for a name that would break the note', () => {
    const { publicKey } = generateSigningKey();
    for (const name of ['', 'a b', 'a+b', 'a\nb', 'a\u2003b']) {
      expect(() => verifierKey(name, publicKey)).toThrow(RangeError);
    }
  });
});
