import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { LucarneError } from '../kernel/errors.js';
import { systemRandom, type Random } from '../kernel/random.js';

/** Seals secrets at rest: what it gives can lie in a database that others read. */
export interface Sealer {
  /** The sealed form, 29 bytes longer than the plaintext. `context` names its place, such as `table/row/column`. */
  seal(plaintext: Uint8Array, context: string): Uint8Array;
  /** The plaintext, only under the same master key and context; throws `INTERNAL_SERVER_ERROR` otherwise. */
  open(sealed: Uint8Array, context: string): Uint8Array;
  /** 32 bytes that tell equal texts, and tell nothing of them to who has not the master key. */
  digest(text: string, context: string): Uint8Array;
}

const VERSION = 1;
const KEY_LENGTH = 32;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + NONCE_LENGTH;

/**
 * A sealer under a 32-byte master key. Format: version 1 | nonce 12 | AES-256-GCM ciphertext | tag 16.
 *
 * The master key gives one subkey (HKDF-SHA-256, RFC 5869), the subkey one key for each context (HMAC-SHA-256):
 * SP 800-38D's bound of 2^32 random nonces to a key then counts rewrites of one record, not records. The context is
 * authenticated too, so a sealed value opens nowhere but in its own place.
 */
export function createSealer(masterKey: Uint8Array, random: Random = systemRandom): Sealer {
  if (masterKey.length !== KEY_LENGTH) throw new RangeError(`A master key is ${KEY_LENGTH} bytes.`);
  const subkey = new Uint8Array(hkdfSync('sha256', masterKey, '', 'lucarne sealing v1', KEY_LENGTH));
  const keyOf = (context: string) => createHmac('sha256', subkey).update(context).digest();
  const authenticated = (context: string) => Buffer.from(`lucarne sealed v${VERSION}\n${context}`);

  return {
    seal(plaintext, context) {
      const nonce = random(NONCE_LENGTH);
      const key = keyOf(context);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH });
      cipher.setAAD(authenticated(context));
      const sealed = new Uint8Array(HEADER_LENGTH + plaintext.length + TAG_LENGTH);
      sealed[0] = VERSION;
      sealed.set(nonce, 1);
      sealed.set(cipher.update(plaintext), HEADER_LENGTH);
      // A stream cipher: nothing is left over, but the tag.
      cipher.final();
      sealed.set(cipher.getAuthTag(), HEADER_LENGTH + plaintext.length);
      key.fill(0);
      return sealed;
    },

    open(sealed, context) {
      if (sealed.length < HEADER_LENGTH + TAG_LENGTH || sealed[0] !== VERSION) throw cannotOpen();
      const key = keyOf(context);
      const tagStart = sealed.length - TAG_LENGTH;
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, HEADER_LENGTH), {
        authTagLength: TAG_LENGTH,
      });
      decipher.setAAD(authenticated(context));
      decipher.setAuthTag(sealed.subarray(tagStart));
      const unverified = decipher.update(sealed.subarray(HEADER_LENGTH, tagStart));
      try {
        decipher.final();
      } catch {
        unverified.fill(0);
        throw cannotOpen();
      } finally {
        key.fill(0);
      }
      const plaintext = Uint8Array.from(unverified);
      unverified.fill(0);
      return plaintext;
    },

    digest(text, context) {
      const key = keyOf(`digest\n${context}`);
      const digest = createHmac('sha256', key).update(text).digest();
      key.fill(0);
      return new Uint8Array(digest);
    },
  };
}

// One message whatever failed: which of key, context or bytes is wrong would help only an attacker.
const cannotOpen = () => new LucarneError('INTERNAL_SERVER_ERROR', 'A sealed value cannot be opened.');
