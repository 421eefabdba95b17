import { createPrivateKey, createPublicKey, sign as signWith, verify as verifyWith } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base64, hex } from '../kernel/encoding/bytes.js';
import { systemRandom, type Random } from '../kernel/random.js';
import { sha256 } from './hashes.js';
import { attempt } from '../kernel/encoding/attempt.js';

/** An Ed25519 key pair (RFC 8032): the 32-byte seed and the 32-byte public key. */
export interface SigningKey {
  readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
}

const SEED_LENGTH = 32;
const PUBLIC_KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;

/** The DER prefixes of RFC 8410 for the raw seed (PKCS #8) and the raw public key (SubjectPublicKeyInfo). */
const PRIVATE_KEY_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_HEADER = Buffer.from('302a300506032b6570032100', 'hex');

export function generateSigningKey(random: Random = systemRandom): SigningKey {
  const secret = random(SEED_LENGTH);
  return { secret, publicKey: signingPublicKey(secret) };
}

/** The 32-byte public key of a 32-byte seed. */
export function signingPublicKey(secret: Uint8Array): Uint8Array {
  const der = createPublicKey(privateKey(secret)).export({ format: 'der', type: 'spki' });
  return Uint8Array.from(der.subarray(PUBLIC_KEY_HEADER.length));
}

/** Whether a key pair can have this public key: a canonical point that is not of small order, for which anyone can sign. */
export function isSigningPublicKey(publicKey: Uint8Array): boolean {
  return attempt(() => ed25519.Point.fromBytes(Uint8Array.from(publicKey)).isSmallOrder()) === false;
}

/** The 64-byte Ed25519 signature of `message` with a 32-byte seed. */
export function sign(secret: Uint8Array, message: Uint8Array): Uint8Array {
  return new Uint8Array(signWith(null, message, privateKey(secret)));
}

/** Whether `signature` is the key's signature of `message`. Also false if the key or the signature has another length. */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== PUBLIC_KEY_LENGTH || signature.length !== SIGNATURE_LENGTH) return false;
  const key = createPublicKey({
    key: Buffer.concat([PUBLIC_KEY_HEADER, publicKey]),
    format: 'der',
    type: 'spki',
  });
  return verifyWith(null, message, key, signature);
}

/** C2SP signed-note: the signature type of Ed25519. */
const NOTE_ED25519 = 0x01;

/** The 4-byte id of an Ed25519 key in a C2SP signed note: SHA-256(name ‖ 0x0A ‖ 0x01 ‖ key), its first 4 bytes. */
export function noteKeyId(name: string, publicKey: Uint8Array): Uint8Array {
  if (!isNoteKeyName(name))
    throw new RangeError('A note key name is not empty and has no spaces and no "+".');
  if (publicKey.length !== PUBLIC_KEY_LENGTH) throw new RangeError('An Ed25519 public key is 32 bytes.');
  return sha256(name, Uint8Array.of(0x0a, NOTE_ED25519), publicKey).slice(0, 4);
}

/** The C2SP verifier key `name+hex(key id)+base64(0x01 ‖ key)`, in the format of Go's checksum database and Sigstore. */
export function verifierKey(name: string, publicKey: Uint8Array): string {
  const typedKey = Buffer.concat([Uint8Array.of(NOTE_ED25519), publicKey]);
  return `${name}+${hex.encode(noteKeyId(name, publicKey))}+${base64.encode(typedKey)}`;
}

/** The name and Ed25519 key of a C2SP verifier key; `undefined` if it is malformed or its key id is wrong. */
export function parseVerifierKey(text: string): { name: string; publicKey: Uint8Array } | undefined {
  const [, name, encodedKey] = /^([^+]*)\+[0-9a-f]{8}\+(.*)$/s.exec(text) ?? [];
  if (name === undefined || encodedKey === undefined || !isNoteKeyName(name)) return undefined;
  const typedKey = base64.decode(encodedKey);
  if (typedKey?.length !== 1 + PUBLIC_KEY_LENGTH) return undefined;
  const publicKey = typedKey.slice(1);
  // With a point of small order, anyone can sign.
  if (!isSigningPublicKey(publicKey)) return undefined;
  // One comparison checks the type byte, the key id and the spelling.
  return verifierKey(name, publicKey) === text ? { name, publicKey } : undefined;
}

const isNoteKeyName = (name: string) => /^[^\s+]+$/u.test(name);

function privateKey(secret: Uint8Array) {
  if (secret.length !== SEED_LENGTH) throw new RangeError(`An Ed25519 seed is ${SEED_LENGTH} bytes.`);
  const der = Buffer.concat([PRIVATE_KEY_HEADER, secret]);
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } finally {
    der.fill(0);
  }
}
