import type { Address } from '../address.js';

export const CONFIDENTIAL_EVENT_TYPES = [
  'confidential_transfer',
  'confidential_transfer_with_fee',
  'confidential_deposit',
  'confidential_withdraw',
  'confidential_mint',
  'confidential_burn',
  'configure_account',
  'apply_pending_balance',
  'empty_account',
  'approve_account',
  'update_mint',
  'credits_changed',
] as const;

export type ConfidentialEventType = (typeof CONFIDENTIAL_EVENT_TYPES)[number];

/**
 * The position of an instruction in its transaction: top-level index, then 1 + index among the instructions that it caused (0:
 * itself), then 1 + index within a Token-2022 `Batch` (0: not in one). Unique, and ordered lexicographically.
 */
export type InstructionPath = readonly [topLevel: number, inner: number, batch: number];

/** An amount encrypted to the auditor's key: amount = lo + hi · 2^16. Each part is 64 bytes, Pedersen commitment | handle. */
export interface AuditorCiphertext {
  readonly lo: Uint8Array;
  readonly hi: Uint8Array;
}

/** The unencrypted data of the instruction, in the form in which it is stored and shown. */
export interface EventPublicData {
  /** The index of the top-level instruction in its transaction. */
  readonly instructionIndex: number;
  readonly instructionPath: InstructionPath;
  /** The owner, delegate, multisignature account or mint authority that authorized the instruction. */
  readonly authority?: Address;
  /** For deposits and withdrawals, in base units. */
  readonly amount?: string;
  /** For deposits and withdrawals. */
  readonly decimals?: number;
  /** For `update_mint`. */
  readonly autoApproveNewAccounts?: boolean;
  /** For `update_mint`: base64 of 32 bytes, or null if the mint has no auditor from then on. */
  readonly auditorElGamalPubkey?: string | null;
  /** For `configure_account` from an ElGamal registry. */
  readonly elGamalRegistry?: Address;
  /** For `configure_account`. */
  readonly maximumPendingBalanceCreditCounter?: string;
  /** For `apply_pending_balance`. */
  readonly expectedPendingBalanceCreditCounter?: string;
  /** For `credits_changed`. */
  readonly credits?: 'confidential' | 'non_confidential';
  /** For `credits_changed`. */
  readonly enabled?: boolean;
  /** For a `confidential_burn` that the mint's burn authority also signed. */
  readonly permissionedBurnAuthority?: Address;
}

/** One confidential instruction of a transaction that succeeded. */
export interface ConfidentialEvent {
  readonly type: ConfidentialEventType;
  readonly path: InstructionPath;
  /** `path` as one number below 2^53 that sorts in the same order. */
  readonly order: number;
  /** Absent if the instruction names only a token account: pending balance, emptying, credits switches. */
  readonly mint?: Address;
  /**
   * For transfers and burns, the debited account. Deposits and withdrawals move between the two balances of one account, which
   * is both source and destination. For an instruction about one account, that account.
   */
  readonly sourceAccount?: Address;
  readonly destinationAccount?: Address;
  /** Present on transfers, mints and burns. Exactly the bytes of the instruction. */
  readonly ciphertexts: { readonly auditor?: AuditorCiphertext };
  readonly publicData: EventPublicData;
  /** Every token account that the instruction names. If `mint` is present, they are accounts of that mint. */
  readonly tokenAccounts: readonly Address[];
}

/** Why a Token-2022 instruction that should be an event could not be read. */
export type MalformedReason = 'unexpected_length' | 'missing_accounts' | 'broken_batch' | 'nested_batch';

export interface MalformedInstruction {
  readonly path: InstructionPath;
  readonly reason: MalformedReason;
}

export interface DecodedTransaction {
  /** In instruction order. */
  readonly events: readonly ConfidentialEvent[];
  /** If it is not empty, events may be missing: the known version of Token-2022 could not have executed these instructions. */
  readonly malformed: readonly MalformedInstruction[];
}
