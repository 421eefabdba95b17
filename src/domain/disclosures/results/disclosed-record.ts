import type { ConfidentialEventType } from '../../../platform/ledger/index.js';

/** What shows that a disclosed value is the decryption of the ledger's ciphertext. All members are base64. */
export interface ValueProof {
  /** 32 bytes: the key under which the mint had the amount encrypted. */
  readonly auditorElGamalPubkey: string;
  /** The instruction's two parts, 64 bytes each: the value is that of lo + 2^16 · that of hi. */
  readonly ciphertext: { readonly lo: string; readonly hi: string };
  /** 96 bytes, by the scheme that the result names. */
  readonly proof: string;
}

/** One record of a result. Of the confidential fields it has those that were asked for. */
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
  /** Base units; null if the record moves no amount, or if `undecryptable` lists it. */
  readonly amount?: string | null;
  /** Null: if a fee is charged, `unavailable` names it; otherwise there is none. */
  readonly fee?: string | null;
  /** By field, of the values that were decrypted; null when none was. */
  readonly proof: { readonly amount: ValueProof } | null;
  /** Fields whose value is public on the ledger, and so needs no proof. */
  readonly public?: readonly string[];
  /** Fields whose ciphertext none of the organization's keys opens. */
  readonly undecryptable?: readonly string[];
  /** Fields that the ledger does not encrypt to the auditor. */
  readonly unavailable?: readonly string[];
}

/**
 * Whether a fee is taken whose ciphertext the auditor cannot open: Token-2022's transfer with fee encrypts the fee to
 * the destination and to the withdraw-withheld authority, and gives the auditor the whole amount only.
 */
export const feeIsHidden = (type: ConfidentialEventType) => type === 'confidential_transfer_with_fee';
