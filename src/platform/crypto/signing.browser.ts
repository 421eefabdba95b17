// The parts of `signing.ts` that browsers need: verification, and parsing of verifier keys. Uses noble's Ed25519.
import { ed25519 } from '@noble/curves/ed25519.js';
import { base64, concatBytes, hex } from '../kernel/encoding/bytes.js';
import { sha256 } from './hashes.js';
import { attempt } from '../kernel/encoding/attempt.js';

const PUBLIC_KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
const NOTE_ED25519 = 0x01;

export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== PUBLIC_KEY_LENGTH || signature.length !== SIGNATURE_LENGTH) return false;
  return attempt(() => ed25519.verify(signature, message, publicKey, { zip215: false })) ?? false;
}

function isSigningPublicKey(publicKey: Uint8Array): boolean {
  return attempt(() => ed25519.Point.fromBytes(publicKey).isSmallOrder()) === false;
}

export function noteKeyId(name: string, publicKey: Uint8Array): Uint8Array {
  return sha256(name, Uint8Array.of(0x0a, NOTE_ED25519), publicKey).slice(0, 4);
}

export function parseVerifierKey(text: string): { name: string; publicKey: Uint8Array } | undefined {
  const [, name, encodedKey] = /^([^+]*)\+[0-9a-f]{8}\+(.*)$/s.exec(text) ?? [];
  if (name === undefined || encodedKey === undefined || !/^[^\s+]+$/u.test(name)) return undefined;
  const typedKey = base64.decode(encodedKey);
  if (typedKey?.length !== 1 + PUBLIC_KEY_LENGTH || typedKey[0] !== NOTE_ED25519) return undefined;
  const publicKey = typedKey.slice(1);
  if (!isSigningPublicKey(publicKey)) return undefined;
  const written = `${name}+${hex.encode(noteKeyId(name, publicKey))}+${base64.encode(concatBytes(Uint8Array.of(NOTE_ED25519), publicKey))}`;
  return written === text ? { name, publicKey } : undefined;
}
