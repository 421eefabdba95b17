import { ristretto255 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, equalBytes } from '../../kernel/encoding/bytes.js';
import { systemRandom, type Random } from '../../kernel/random.js';
import {
  ELGAMAL_H,
  parsePoint,
  parsePublicKey,
  parseScalar,
  parseSecret,
  publicKeyOf,
  reduceWide,
  serializeCiphertext,
  type Ciphertext,
  type RistrettoPoint,
} from '../decryption/elgamal.js';
import { MerlinTranscript } from './merlin.js';
import {
  combineSplitCiphertext,
  splitAmountBound,
  type SplitCiphertext,
} from '../decryption/split-ciphertext.js';

/**
 * A proof that a ciphertext decrypts to `value` with the secret of a public key, which reveals nothing else: Solana's
 * zero-ciphertext proof (`zero_ciphertext.rs` of solana-zk-sdk) for the combined ciphertext, with value·G subtracted from its
 * commitment. It is a Chaum-Pedersen proof of one s with s·P = H and s·D = C − value·G, made non-interactive by Merlin; 96
 * bytes, Y_P | Y_D | z. Solana's tools and on-chain program verify the same bytes.
 */
export const DECRYPTION_PROOF_SCHEME = 'solana-zero-ciphertext-proof';

export const DECRYPTION_PROOF_LENGTH = 96;

export interface DecryptionStatement {
  /** The 32-byte ElGamal public key under which the amount was encrypted. */
  readonly publicKey: Uint8Array;
  readonly ciphertext: SplitCiphertext;
  /** The amount: lo + hi·2^loBits. */
  readonly value: bigint;
}

const Point = ristretto255.Point;
const Scalar = Point.Fn;
const ELEMENT_LENGTH = 32;

/** Creates the 96-byte proof that a ciphertext decrypts to a value. */
export type DecryptionProver = (ciphertext: SplitCiphertext, value: bigint) => Uint8Array;

interface ProverKeys {
  /** The 32-byte ElGamal secret, and its public key. */
  readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly random?: Random;
  /** How many proofs are expected: for many, a table of the public key is made, which speeds up its multiplications. */
  readonly proofs?: number;
}

/** From this number of proofs on, a table of the public key saves more time than it takes. */
const MIN_PROOFS_FOR_TABLE = 16;
const TABLE_WINDOW_BITS = 6;

/**
 * Checks a keypair once, for any number of proofs. Throws a `RangeError` if the secret does not belong to the public key. So does
 * the prover if the ciphertext is malformed or does not decrypt to the value: a returned proof always verifies.
 */
export function createDecryptionProver(keys: ProverKeys): DecryptionProver {
  const { secret, publicKey: keyBytes, random = systemRandom, proofs = 1 } = keys;
  const s = parseSecret(secret);
  const publicKey = parsePublicKey(keyBytes);
  if (!publicKey || !equalBytes(publicKeyOf(secret), keyBytes)) {
    throw new RangeError('The secret is not that of the public key.');
  }
  if (proofs >= MIN_PROOFS_FOR_TABLE) publicKey.precompute(TABLE_WINDOW_BITS);
  return (ciphertext, value) => {
    const zero = parseZero(ciphertext, value);
    if (zero === undefined) throw new RangeError('The ciphertext or the value is malformed.');
    if (!zero.handle.multiply(s).equals(zero.commitment)) {
      throw new RangeError('The ciphertext does not decrypt to the value.');
    }
    const statementBytes = concatBytes(keyBytes, serializeCiphertext(zero));
    const y = hedgedNonce(secret, statementBytes, random);
    const yP = publicKey.multiply(y).toBytes();
    const yD = zero.handle.multiply(y).toBytes();
    const c = challenge(statementBytes, yP, yD);
    const z = Scalar.toBytes(Scalar.add(Scalar.mul(c, s), y));
    return concatBytes(yP, yD, z);
  };
}

/**
 * Whether `proof` proves the statement. Returns false for malformed input, an identity public key, or a value outside [0,
 * 2^(loBits + hiBits)). It accepts one case that Solana's verifier does not: an identity handle and commitment. A sender can
 * create this case (opening lo = −2^loBits · opening hi), and must not be able to make an amount unprovable. The equations
 * below are sound there, too.
 */
export function verifyDecryption(statement: DecryptionStatement & { readonly proof: Uint8Array }): boolean {
  const { proof } = statement;
  if (proof.length !== DECRYPTION_PROOF_LENGTH) return false;
  const yPBytes = proof.subarray(0, ELEMENT_LENGTH);
  const yDBytes = proof.subarray(ELEMENT_LENGTH, 2 * ELEMENT_LENGTH);
  const yP = parsePublicKey(yPBytes);
  const yD = parsePoint(yDBytes);
  const z = parseScalar(proof.subarray(2 * ELEMENT_LENGTH));
  if (yP === undefined || yD === undefined || z === undefined) return false;
  const parsed = parseStatement(statement);
  if (parsed === undefined) return false;
  const { publicKey, zero } = parsed;

  const statementBytes = concatBytes(statement.publicKey, serializeCiphertext(zero));
  const c = challenge(statementBytes, yPBytes, yDBytes);
  return (
    linear(z, publicKey, c, ELGAMAL_H).equals(yP) && linear(z, zero.handle, c, zero.commitment).equals(yD)
  );
}

interface ParsedStatement {
  readonly publicKey: RistrettoPoint;
  readonly zero: Ciphertext;
}

export function parseStatement(statement: DecryptionStatement): ParsedStatement | undefined {
  const publicKey = parsePublicKey(statement.publicKey);
  const zero = publicKey && parseZero(statement.ciphertext, statement.value);
  return zero && { publicKey, zero };
}

/**
 * The combined ciphertext minus value·G, which decrypts to zero if the statement is true. Undefined if the ciphertext is malformed
 * or the value is out of its range.
 */
function parseZero(ciphertext: SplitCiphertext, value: bigint): Ciphertext | undefined {
  const combined = combineSplitCiphertext(ciphertext);
  if (combined === undefined || value < 0n || value >= splitAmountBound(ciphertext)) return undefined;
  // The value is part of the statement, so the time of its multiplication may depend on it.
  const commitment = combined.commitment.subtract(Point.BASE.multiplyUnsafe(value));
  return { commitment, handle: combined.handle };
}

// The transcript of solana-zk-sdk: `transcript.rs`, and `hash_context_into_transcript` of `zero_ciphertext.rs`.
function challenge(statementBytes: Uint8Array, yP: Uint8Array, yD: Uint8Array): bigint {
  const transcript = new MerlinTranscript('solana-zk-elgamal-proof-program-v1');
  transcript.append('dom-sep', 'zero-ciphertext-instruction');
  transcript.append('pubkey', statementBytes.subarray(0, ELEMENT_LENGTH));
  transcript.append('ciphertext', statementBytes.subarray(ELEMENT_LENGTH));
  transcript.append('dom-sep', 'zero-ciphertext-proof');
  transcript.append('Y_P', yP);
  transcript.append('Y_D', yD);
  return reduceWide(transcript.challenge('c', 64));
}

// A repeated or predictable nonce reveals the secret. Hashing the secret and the statement with fresh randomness protects it if
// the randomness fails, and against fault attacks if it does not (RFC 8032 and hedging).
function hedgedNonce(secret: Uint8Array, statementBytes: Uint8Array, random: Random): bigint {
  const fresh = random(64);
  const digest = sha512(
    concatBytes(new TextEncoder().encode('lucarne decryption proof nonce v1'), fresh, secret, statementBytes),
  );
  const nonce = reduceWide(digest);
  fresh.fill(0);
  digest.fill(0);
  return nonce;
}

/** z·A − c·B, for public values. */
function linear(z: bigint, a: RistrettoPoint, c: bigint, b: RistrettoPoint): RistrettoPoint {
  return a.multiplyUnsafe(z).subtract(b.multiplyUnsafe(c));
}
