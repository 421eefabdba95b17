import { DECRYPTION_PROOF_SCHEME, sha256 } from '../crypto/index.js';
import { hex } from '../kernel/bytes.js';
import { canonicalJson, type JsonObject, type JsonValue } from '../kernel/json.js';
import type { DisclosedRecord } from './disclosed-record.js';
import type { DisclosureFormat } from './disclosure-rules.js';
import type { SignedReceipt } from './receipt.js';

/** What the result's proofs are, for whoever checks them. */
export const PROOF_DESCRIPTION = {
  scheme: DECRYPTION_PROOF_SCHEME,
  group: 'ristretto255',
  statement:
    'The 64-bit value is the decryption of lo + 2^16 · hi under the auditor public key (twisted ElGamal, commitment | ' +
    'handle). The proof is the 96 bytes of the zero-ciphertext proof of solana-zk-sdk over that ciphertext with ' +
    'value · G taken from its commitment.',
  check: 'lucarne disclosure verify FILE',
} as const;

/** What is signed for: the result without its receipt. */
export interface UnsignedResult {
  readonly format: DisclosureFormat;
  readonly generatedAt: string;
  readonly receiptId: string;
  readonly records: readonly DisclosedRecord[];
  readonly content: string;
  readonly proof: typeof PROOF_DESCRIPTION;
}

/** A disclosure's answer, as it is sealed and shown; JSON throughout. */
export interface DisclosureResult extends UnsignedResult {
  readonly receipt: SignedReceipt;
}

/** Hex SHA-256 of the RFC 8785 form. */
export function jsonDigest(value: JsonValue): string {
  return hex.encode(sha256(canonicalJson(value)));
}

export function resultDigest(result: UnsignedResult): string {
  const { format, generatedAt, receiptId, records, content, proof } = result;
  return jsonDigest({ format, generatedAt, receiptId, records, content, proof } as unknown as JsonObject);
}
