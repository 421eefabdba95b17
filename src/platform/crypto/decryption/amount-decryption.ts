import { createDiscreteLogarithm, type DiscreteLogarithm } from './discrete-logarithm.js';
import { createDecryptionProver } from '../proofs/decryption-proof.js';
import { decryptToPoint, parseSecret } from './elgamal.js';
import { parseSplitCiphertext, type SplitCiphertext } from './split-ciphertext.js';

/**
 * `undecryptable`: malformed, encrypted to another key, or with a part out of its range. These cases cannot be distinguished.
 */
export type DecryptedAmount =
  { readonly kind: 'amount'; readonly value: bigint } | { readonly kind: 'undecryptable' };

/** Decrypts amounts. Synchronous and slow: it runs in a worker thread. */
export interface AmountKernel {
  /** One result for each ciphertext, in their order. Throws a `RangeError` for an invalid secret or bit width. */
  decrypt(secret: Uint8Array, ciphertexts: readonly SplitCiphertext[]): DecryptedAmount[];
}

/** The kernel on noble's BigInt arithmetic. Building its tables takes a few tenths of a second. */
export function createAmountKernel(logarithm: DiscreteLogarithm = createDiscreteLogarithm()): AmountKernel {
  return {
    decrypt(secret, ciphertexts) {
      const scalar = parseSecret(secret);
      return ciphertexts.map((ciphertext) => decryptOne(logarithm, scalar, ciphertext));
    },
  };
}

function decryptOne(
  logarithm: DiscreteLogarithm,
  secret: bigint,
  ciphertext: SplitCiphertext,
): DecryptedAmount {
  const parts = parseSplitCiphertext(ciphertext);
  if (parts === undefined) return UNDECRYPTABLE;
  // Solves the narrow part first: with a wrong key, it already fails after one look-up in the table.
  const lo = logarithm.solve(decryptToPoint(secret, parts.lo), ciphertext.loBits);
  if (lo === undefined) return UNDECRYPTABLE;
  const hi = logarithm.solve(decryptToPoint(secret, parts.hi), ciphertext.hiBits);
  if (hi === undefined) return UNDECRYPTABLE;
  return { kind: 'amount', value: lo + (hi << BigInt(ciphertext.loBits)) };
}

const UNDECRYPTABLE: DecryptedAmount = { kind: 'undecryptable' };

export interface DecryptionRequest {
  /** The 32-byte ElGamal secret. */
  readonly secret: Uint8Array;
  readonly ciphertexts: readonly SplitCiphertext[];
}

export interface DisclosureRequest extends DecryptionRequest {
  /** The 32-byte public key of the secret. */
  readonly publicKey: Uint8Array;
}

/** A decrypted amount with its 96-byte proof (see `DECRYPTION_PROOF_SCHEME`). */
export type DisclosedAmount =
  | { readonly kind: 'amount'; readonly value: bigint; readonly proof: Uint8Array }
  | { readonly kind: 'undecryptable' };

/** Decrypts and proves. Returns one result for each ciphertext. Throws a `RangeError` if the keys are not a pair. */
export function discloseAmounts(kernel: AmountKernel, request: DisclosureRequest): DisclosedAmount[] {
  const { secret, publicKey, ciphertexts } = request;
  const prove = createDecryptionProver({ secret, publicKey, proofs: ciphertexts.length });
  return kernel.decrypt(secret, ciphertexts).map((decrypted, index) => {
    if (decrypted.kind === 'undecryptable') return decrypted;
    const { value } = decrypted;
    return { kind: 'amount', value, proof: prove(ciphertexts[index]!, value) };
  });
}
