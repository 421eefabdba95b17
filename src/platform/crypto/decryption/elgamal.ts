import { ristretto255 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE } from '@noble/curves/utils.js';
import { systemRandom, type Random } from '../../kernel/random.js';
import { attempt } from '../../kernel/encoding/attempt.js';

/**
 * Twisted ElGamal over ristretto255 (RFC 9496), as in Solana's confidential transfers. With the Pedersen bases G and H and a
 * secret s, the public key is P = s⁻¹·H. A value x with an opening r has the commitment C = x·G + r·H and the handle D = r·P,
 * so that C − s·D = x·G. The group has prime order: no low-order points.
 */
const Point = ristretto255.Point;
const Scalar = Point.Fn;

export type RistrettoPoint = InstanceType<typeof Point>;

/**
 * The Pedersen base for openings: SHA3-512 of G's encoding, mapped to the group, so that its logarithm is unknown. It is
 * written out so that browsers need neither SHA-3 nor that mapping. A test derives it.
 */
export const ELGAMAL_H: RistrettoPoint = Point.fromHex(
  '8c9240b456a9e6dc65c377a1048d745f94a08cdb7f44cbcd7b46f34048871134',
);
ELGAMAL_H.precompute(6);

/** A secret scalar and its public key, 32 bytes each; the scalar is little-endian and canonical. */
export interface ElGamalKeypair {
  readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** A parsed ciphertext. Either point may be the identity: a sender who chooses r = 0 does not hide the value. */
export interface Ciphertext {
  readonly commitment: RistrettoPoint;
  readonly handle: RistrettoPoint;
}

const ELEMENT_LENGTH = 32;
const CIPHERTEXT_LENGTH = 2 * ELEMENT_LENGTH;

export function generateElGamalKeypair(random: Random = systemRandom): ElGamalKeypair {
  const secret = Scalar.toBytes(randomScalar(random));
  return { secret, publicKey: publicKeyOf(secret) };
}

/** The 32-byte public key of a secret. Throws a `RangeError` if the secret is not canonical or is zero. */
export function publicKeyOf(secret: Uint8Array): Uint8Array {
  return ELGAMAL_H.multiply(Scalar.inv(parseSecret(secret))).toBytes();
}

/** Parses a ciphertext. Returns `undefined` unless it is two canonical ristretto255 encodings (RFC 9496, 4.3.1). */
export function parseCiphertext(bytes: Uint8Array): Ciphertext | undefined {
  if (bytes.length !== CIPHERTEXT_LENGTH) return undefined;
  const commitment = parsePoint(bytes.subarray(0, ELEMENT_LENGTH));
  const handle = parsePoint(bytes.subarray(ELEMENT_LENGTH));
  return commitment && handle && { commitment, handle };
}

export function serializeCiphertext(ciphertext: Ciphertext): Uint8Array {
  const bytes = new Uint8Array(CIPHERTEXT_LENGTH);
  bytes.set(ciphertext.commitment.toBytes(), 0);
  bytes.set(ciphertext.handle.toBytes(), ELEMENT_LENGTH);
  return bytes;
}

/** The ciphertext of lo + hi·2^bits, computed from the ciphertexts of lo and hi. */
export function combineCiphertexts(lo: Ciphertext, hi: Ciphertext, bits: number): Ciphertext {
  return {
    commitment: lo.commitment.add(shift(hi.commitment, bits)),
    handle: lo.handle.add(shift(hi.handle, bits)),
  };
}

/** Decrypts x to x·G = C − s·D. `secret` is a scalar from `parseSecret`. */
export function decryptToPoint(secret: bigint, { commitment, handle }: Ciphertext): RistrettoPoint {
  return commitment.subtract(handle.multiply(secret));
}

/** The scalar of a secret. Throws a `RangeError` unless it is 32 bytes, canonical and not zero. */
export function parseSecret(secret: Uint8Array): bigint {
  const scalar = parseScalar(secret);
  if (scalar === undefined || scalar === 0n) throw new RangeError('Not an ElGamal secret.');
  return scalar;
}

/** The point of a public key, or `undefined`. The identity is refused, because values encrypted to it are not hidden. */
export function parsePublicKey(bytes: Uint8Array): RistrettoPoint | undefined {
  const point = parsePoint(bytes);
  return point?.is0() === false ? point : undefined;
}

export const isElGamalPublicKey = (bytes: Uint8Array): boolean => parsePublicKey(bytes) !== undefined;

/** The point of a canonical 32-byte ristretto255 encoding, or `undefined`. */
export function parsePoint(bytes: Uint8Array): RistrettoPoint | undefined {
  return attempt(() => Point.fromBytes(bytes));
}

/** The scalar of a canonical 32-byte little-endian encoding, zero included, or `undefined`. */
export function parseScalar(bytes: Uint8Array): bigint | undefined {
  return attempt(() => Scalar.fromBytes(bytes));
}

/** 64 uniform bytes as a scalar: the bias of the reduction is below 2^-250. */
export function reduceWide(bytes: Uint8Array): bigint {
  return Scalar.create(bytesToNumberLE(bytes));
}

function randomScalar(random: Random): bigint {
  const bytes = random(64);
  const scalar = reduceWide(bytes);
  bytes.fill(0);
  if (scalar === 0n) throw new RangeError('The random source gave zeros.');
  return scalar;
}

function shift(point: RistrettoPoint, bits: number): RistrettoPoint {
  let shifted = point;
  for (let bit = 0; bit < bits; bit += 1) shifted = shifted.double();
  return shifted;
}
