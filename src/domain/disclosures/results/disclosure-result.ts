import { DECRYPTION_PROOF_SCHEME, sha256 } from '../../../platform/crypto/index.js';
import { base64, concatBytes, hex } from '../../../platform/kernel/encoding/bytes.js';
import { canonicalJson, type JsonObject, type JsonValue } from '../../../platform/kernel/encoding/json.js';
import type { DisclosureFormat } from '../policies/disclosure-rules.js';
import type { DisclosedRecord } from './disclosed-record.js';
import type { SignedReceipt } from './receipt-statement.js';

/** The description of the proofs for those who check them. */
export const PROOF_DESCRIPTION = {
  scheme: DECRYPTION_PROOF_SCHEME,
  group: 'ristretto255',
  statement:
    'The 64-bit value is the decryption of lo + 2^16 · hi under the auditor public key (twisted ElGamal, commitment | ' +
    'handle). The proof is the 96 bytes of the zero-ciphertext proof of solana-zk-sdk over that ciphertext with ' +
    'value · G taken from its commitment.',
  check: 'lucarne disclosure verify FILE',
} as const;

/** The statement of the receipt: the result without the receipt. */
export interface UnsignedResult {
  readonly format: DisclosureFormat;
  readonly generatedAt: string;
  readonly receiptId: string;
  readonly records: readonly DisclosedRecord[];
  readonly content: string;
  readonly proof: typeof PROOF_DESCRIPTION;
}

/** The result of a disclosure as its readers get it, as JSON. */
export interface DisclosureResult extends UnsignedResult {
  /** Salt of the digests in the receipt: 16 bytes in base64. */
  readonly salt: string;
  readonly receipt: SignedReceipt;
}

export const SALT_BYTES = 16;

/**
 * Hex SHA-256 of the salt and the RFC 8785 form of a value. Receipts and log entries can be read by people who may not see
 * the result. Without the salt, which only readers of the result get, they cannot test guesses of an amount.
 */
export function saltedDigest(salt: Uint8Array, value: JsonValue): string {
  if (salt.length !== SALT_BYTES) throw new Error(`A salt has ${SALT_BYTES} bytes.`);
  return hex.encode(sha256(concatBytes(salt, new TextEncoder().encode(canonicalJson(value)))));
}

export const resultDigest = (salt: Uint8Array, result: UnsignedResult): string =>
  saltedDigest(salt, digestedMembers(result));

/** The part of a result that its receipt digests. */
export function digestedMembers(result: UnsignedResult): JsonObject {
  const { format, generatedAt, receiptId, records, content, proof } = result;
  return { format, generatedAt, receiptId, records, content, proof } as unknown as JsonObject;
}

/** The salt from its base64 form. Undefined if it does not have exactly 16 bytes. */
export function parseSalt(value: unknown): Uint8Array | undefined {
  const salt = typeof value === 'string' ? base64.decode(value) : undefined;
  return salt?.length === SALT_BYTES ? salt : undefined;
}
