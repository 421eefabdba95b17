import { randomBytes } from 'node:crypto';
import { ristretto255 } from '@noble/curves/ed25519.js';
import {
  ELGAMAL_H,
  parsePublicKey,
  parseScalar,
  reduceWide,
  serializeCiphertext,
  type RistrettoPoint,
} from '../../../src/platform/crypto/decryption/elgamal.js';

const { BASE, ZERO } = ristretto255.Point;

/**
 * The 64-byte ciphertext, commitment | handle, of an unsigned 64-bit value. The opening is a 32-byte little-endian scalar,
 * random by default. Throws a `RangeError` for an invalid public key, value or opening.
 */
export function encrypt(publicKey: Uint8Array, value: bigint, opening?: Uint8Array): Uint8Array {
  const key = parsePublicKey(publicKey);
  if (key === undefined) throw new RangeError('Not an ElGamal public key.');
  if (value < 0n || value >= 1n << 64n) throw new RangeError('A value is an unsigned 64-bit integer.');
  const r = opening === undefined ? reduceWide(randomBytes(64)) : parseScalar(opening);
  if (r === undefined) throw new RangeError('An opening is a canonical scalar.');
  return serializeCiphertext({
    commitment: multiply(BASE, value).add(multiply(ELGAMAL_H, r)),
    handle: multiply(key, r),
  });
}

// noble's constant-time multiplication refuses the scalar 0.
const multiply = (point: RistrettoPoint, scalar: bigint) => (scalar === 0n ? ZERO : point.multiply(scalar));
