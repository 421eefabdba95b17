import {
  formatElGamalKeypair,
  generateElGamalKeypair,
  generateSigningKey,
} from '../../../src/platform/crypto/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';

const FORM = 'keypair must be a JSON array of 64 numbers, as Solana’s tools write it, or base64 of 64 bytes';
const SECRET = 'keypair has a secret that is zero or is not a canonical scalar of ristretto255';
const MISMATCH = 'keypair has a public key that does not belong to its secret';

const { secret, publicKey } = generateElGamalKeypair();
const one = Uint8Array.of(1, ...new Uint8Array(31));
/** The order of the group plus one, little-endian. */
const beyond = Uint8Array.from(
  Buffer.from('eed3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex'),
);
const signing = generateSigningKey();
const base64Of = (...parts: readonly Uint8Array[]) => base64.encode(Buffer.concat(parts));
const numbersOf = (...parts: readonly Uint8Array[]) => JSON.stringify([...Buffer.concat(parts)]);

/** Texts that are not a keypair of an auditor: a description, the text, and the beginning of the answer. */
export const WRONG_KEYPAIRS: readonly (readonly [string, string, string])[] = [
  ['nothing', '', FORM],
  ['an empty line', ' \r\n', FORM],
  ['a word', 'hunter2', FORM],
  ['its secret in hex', Buffer.from(secret).toString('hex'), FORM],
  ['31 bytes', base64Of(secret.subarray(1)), FORM],
  ['33 bytes', base64Of(secret, one.subarray(0, 1)), FORM],
  ['63 bytes', base64Of(publicKey, secret.subarray(1)), FORM],
  ['65 numbers', numbersOf(publicKey, secret, one.subarray(0, 1)), FORM],
  ['a number over 255', JSON.stringify([...publicKey, ...secret.subarray(1), 256]), FORM],
  ['a negative number', JSON.stringify([...publicKey, ...secret.subarray(1), -1]), FORM],
  ['a fraction', JSON.stringify([...publicKey, ...secret.subarray(1), 0.5]), FORM],
  ['numbers as strings', JSON.stringify([...publicKey, ...secret].map(String)), FORM],
  ['an array in an array', `[${numbersOf(publicKey, secret)}]`, FORM],
  ['two keypairs', `${formatElGamalKeypair({ secret, publicKey })}\n`.repeat(2), FORM],
  ['half of a file', numbersOf(publicKey, secret).slice(0, 100), FORM],
  ['an object', JSON.stringify({ secret: base64Of(secret) }), FORM],
  ['a PEM file', `-----BEGIN PRIVATE KEY-----\n${base64Of(secret)}\n-----END PRIVATE KEY-----`, FORM],
  ['the secret zero', base64Of(new Uint8Array(32)), SECRET],
  ['a secret beyond the order of the group', base64Of(beyond), SECRET],
  ['the identity and zero', numbersOf(new Uint8Array(64)), SECRET],
  ['the identity as public key', numbersOf(new Uint8Array(32), secret), MISMATCH],
  ['a public key that is no point', numbersOf(new Uint8Array(32).fill(255), secret), MISMATCH],
  ['a public key of another secret', numbersOf(generateElGamalKeypair().publicKey, secret), MISMATCH],
  ['its halves in the other order', numbersOf(secret, publicKey), 'keypair has a '],
  ['a key of Solana’s wallets', numbersOf(signing.secret, signing.publicKey), 'keypair has a '],
];
