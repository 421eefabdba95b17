import type { ConfidentialEventType } from '../../../platform/ledger/index.js';

/** Proves that a disclosed value is the decryption of the ledger's ciphertext. All members are base64. */
export interface ValueProof {
  /** 32 bytes: the auditor key of the mint that the amount is encrypted to. */
  readonly auditorElGamalPubkey: string;
  /** The two parts of the ciphertext in the instruction, 64 bytes each. The value is lo + 2^16 · hi. */
  readonly ciphertext: { readonly lo: string; readonly hi: string };
  /** 96 bytes in the scheme that the result names. */
  readonly proof: string;
}

/** One record of a result. It has only the requested confidential fields. */
export interface DisclosedRecord {
  readonly transactionId: string;
  /** The transaction's signature on the ledger. */
  readonly networkTransactionId: string;
  readonly type: string;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number | null;
  readonly sourceAccount: string | null;
  readonly destinationAccount: string | null;
  readonly decimals: number;
  /** Base units. Null if the record moves no amount, or if `undecryptable` lists it. */
  readonly amount?: string | null;
  /** Null if there is no fee, or if `unavailable` lists it. */
  readonly fee?: string | null;
  /** The proofs of decrypted values, by field. Null if nothing was decrypted. */
  readonly proof: { readonly amount: ValueProof } | null;
  /** Fields whose value is public on the ledger and therefore needs no proof. */
  readonly public?: readonly string[];
  /** Fields whose ciphertext no key of the organization decrypts. */
  readonly undecryptable?: readonly string[];
  /** Fields that the ledger does not encrypt to the auditor. */
  readonly unavailable?: readonly string[];
}

/**
 * Whether the record has a fee that the auditor cannot decrypt. The transfer with fee of Token-2022 encrypts the fee to the
 * destination and to the withdraw-withheld authority; the auditor gets only the whole amount.
 */
export const feeIsHidden = (type: ConfidentialEventType) => type === 'confidential_transfer_with_fee';
