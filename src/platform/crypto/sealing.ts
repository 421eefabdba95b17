import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { LucarneError } from '../kernel/errors.js';
import { systemRandom, type Random } from '../kernel/random.js';

/** Seals secrets at rest, so that they can be stored in a database that others can read. */
export interface Sealer {
  /**
   * Returns the sealed form, at most `MAX_SEALING_LENGTH` longer than the plaintext. `context` names its place, such as
   * `table/row/column`. Writes to the beginning of `room`, if given.
   */
  seal(plaintext: Uint8Array, context: string, room?: Uint8Array): Uint8Array;
  /** Returns the plaintext, if the data key and the context are those of sealing; otherwise throws `INTERNAL_SERVER_ERROR`. */
  open(sealed: Uint8Array, context: string): Uint8Array;
  /** 32 bytes that are equal for equal texts, and reveal nothing about them without the key of digests. */
  digest(text: string, context: string): Uint8Array;
}

/** A column of sealed values, and the context of each value. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The beginning of the contexts of its values. */
  readonly purpose: string;
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[];
  /** The context under which the value of a row is sealed, for the values of `key`. */
  readonly context: (key: readonly (string | number)[]) => string;
  /** Number of rows that are processed together. */
  readonly rows: number;
}

/** A key that seals values. Every sealed value names the key that opens it. */
export interface DataKey {
  /** 1 to 2^32 - 1. */
  readonly id: number;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** The available data keys. Each member throws `UNAVAILABLE` if a key is not available. */
export interface DataKeys {
  /** The key that seals values of a purpose. The purpose is the beginning of a context, such as `disclosures`. */
  sealing(purpose: string): DataKey;
  opening(id: number): DataKey;
  /** The key of digests. It never changes, because stored values are found by their digests. */
  digesting(): Uint8Array;
}

/** The data key of all values that were sealed while there was only one. Values that it sealed do not name it. */
const FIRST_DATA_KEY = 1;
export const DATA_KEY_LENGTH = 32;

const FIRST_FORMAT = 1;
const NAMING_FORMAT = 2;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const NAME_LENGTH = 4;
/** Node.js makes a new buffer for each piece that it encrypts. Large ones come from the operating system, which takes longer. */
const UPDATE_BYTES = 32 * 1024;
/** Maximum length of a sealed value in addition to its plaintext. */
export const MAX_SEALING_LENGTH = 1 + NAME_LENGTH + NONCE_LENGTH + TAG_LENGTH;

/** The beginning of all values that a data key sealed, to find them in a table. */
export function sealedPrefix(id: number): Uint8Array {
  if (id === FIRST_DATA_KEY) return Uint8Array.of(FIRST_FORMAT);
  const prefix = new Uint8Array(1 + NAME_LENGTH);
  prefix[0] = NAMING_FORMAT;
  new DataView(prefix.buffer).setUint32(1, id);
  return prefix;
}

/** The id of the data key that sealed a value; `undefined` if it is not a sealed value. */
export function sealingKeyOf(sealed: Uint8Array): number | undefined {
  if (sealed[0] === FIRST_FORMAT) return FIRST_DATA_KEY;
  if (sealed[0] !== NAMING_FORMAT || sealed.length < 1 + NAME_LENGTH) return undefined;
  return new DataView(sealed.buffer, sealed.byteOffset).getUint32(1);
}

/** The first data key, derived from a 32-byte master key (HKDF-SHA-256, RFC 5869). */
export function firstDataKey(masterKey: Uint8Array): DataKey {
  if (masterKey.length !== DATA_KEY_LENGTH) throw new RangeError(`A master key is ${DATA_KEY_LENGTH} bytes.`);
  const derived = hkdfSync('sha256', masterKey, '', 'lucarne sealing v1', DATA_KEY_LENGTH);
  return { id: FIRST_DATA_KEY, secret: new Uint8Array(derived) };
}

/** A sealer with only the data key that is derived from a master key. */
export function createSealer(masterKey: Uint8Array, random: Random = systemRandom): Sealer {
  const key = firstDataKey(masterKey);
  const only = { sealing: () => key, opening: () => key, digesting: () => key.secret };
  return createEnvelopeSealer(only, random);
}

/**
 * A sealer with data keys. Format: version 1 | nonce 12 | AES-256-GCM ciphertext | tag 16 with the first data key, and version
 * 2 | id of the data key 4 | nonce 12 | ciphertext | tag 16 with any other.
 *
 * One key for each context is derived from a data key (HMAC-SHA-256). So SP 800-38D's limit of 2^32 random nonces per key
 * applies to the rewrites of one record, not to all records. The context is also authenticated, so a sealed value can be opened
 * only in its own place.
 */
export function createEnvelopeSealer(keys: DataKeys, random: Random = systemRandom): Sealer {
  const keyOf = (secret: Uint8Array, context: string): KeyObject => {
    const derived = createHmac('sha256', createSecretKey(secret)).update(context).digest();
    // Node.js takes several times as long with the bytes of a key as with a key object.
    const key = createSecretKey(derived);
    derived.fill(0);
    return key;
  };
  const authenticated = (id: number, context: string) =>
    Buffer.from(
      id === FIRST_DATA_KEY ? `lucarne sealed v1\n${context}` : `lucarne sealed v2 ${id}\n${context}`,
    );

  return {
    seal(plaintext, context, room) {
      const { id, secret } = keys.sealing(context.split('/', 1)[0]!);
      const prefix = sealedPrefix(id);
      const nonce = random(NONCE_LENGTH);
      const key = keyOf(secret, context);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH });
      cipher.setAAD(authenticated(id, context));
      const start = prefix.length + NONCE_LENGTH;
      const length = start + plaintext.length + TAG_LENGTH;
      const sealed = room ? room.subarray(0, length) : new Uint8Array(length);
      sealed.set(prefix);
      sealed.set(nonce, prefix.length);
      for (let at = 0; at < plaintext.length; at += UPDATE_BYTES)
        sealed.set(cipher.update(plaintext.subarray(at, at + UPDATE_BYTES)), start + at);
      // A stream cipher: only the tag is left.
      cipher.final();
      sealed.set(cipher.getAuthTag(), start + plaintext.length);
      return sealed;
    },

    open(sealed, context) {
      const id = sealingKeyOf(sealed);
      if (id === undefined) throw cannotOpen();
      const nonceStart = sealedPrefix(id).length;
      const start = nonceStart + NONCE_LENGTH;
      if (sealed.length < start + TAG_LENGTH) throw cannotOpen();
      const key = keyOf(keys.opening(id).secret, context);
      const tagStart = sealed.length - TAG_LENGTH;
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(nonceStart, start), {
        authTagLength: TAG_LENGTH,
      });
      decipher.setAAD(authenticated(id, context));
      decipher.setAuthTag(sealed.subarray(tagStart));
      const unverified = decipher.update(sealed.subarray(start, tagStart));
      try {
        decipher.final();
      } catch {
        unverified.fill(0);
        throw cannotOpen();
      }
      const plaintext = Uint8Array.from(unverified);
      unverified.fill(0);
      return plaintext;
    },

    digest(text, context) {
      const key = keyOf(keys.digesting(), `digest\n${context}`);
      return new Uint8Array(createHmac('sha256', key).update(text).digest());
    },
  };
}

// One message for every failure: to know whether the key, the context or the bytes are wrong would help only an attacker.
const cannotOpen = () => new LucarneError('INTERNAL_SERVER_ERROR', 'A sealed value cannot be opened.');
