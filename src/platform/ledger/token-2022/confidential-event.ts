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
 * Where an instruction stands in its transaction: top-level index, then 1 + index among the instructions it caused
 * (0: itself), then 1 + index within a Token-2022 `Batch` (0: not in one). Unique, and ordered lexicographically.
 */
export type InstructionPath = readonly [topLevel: number, inner: number, batch: number];

/** An amount under the auditor's key: amount = lo + hi · 2^16. Each is 64 bytes, Pedersen commitment | handle. */
export interface AuditorCiphertext {
  readonly lo: Uint8Array;
  readonly hi: Uint8Array;
}

/** What the instruction says in the clear, in the form in which it is stored and shown. */
export interface EventPublicData {
  /** The index of the top-level instruction in its transaction. */
  readonly instructionIndex: number;
  readonly instructionPath: InstructionPath;
  /** The owner, delegate, multisignature account or mint authority the instruction was authorized by. */
  readonly authority?: Address;
  /** Base units, of deposits and withdrawals. */
  readonly amount?: string;
  /** Of deposits and withdrawals. */
  readonly decimals?: number;
  /** Of `update_mint`. */
  readonly autoApproveNewAccounts?: boolean;
  /** Of `update_mint`: base64 of 32 bytes, or null when the mint has no auditor from then on. */
  readonly auditorElGamalPubkey?: string | null;
  /** Of `configure_account` from an ElGamal registry. */
  readonly elGamalRegistry?: Address;
  /** Of `configure_account`. */
  readonly maximumPendingBalanceCreditCounter?: string;
  /** Of `apply_pending_balance`. */
  readonly expectedPendingBalanceCreditCounter?: string;
  /** Of `credits_changed`. */
  readonly credits?: 'confidential' | 'non_confidential';
  /** Of `credits_changed`. */
  readonly enabled?: boolean;
  /** Of `confidential_burn` that the mint's burn authority signed too. */
  readonly permissionedBurnAuthority?: Address;
}

/** One confidential instruction of a transaction that succeeded. */
export interface ConfidentialEvent {
  readonly type: ConfidentialEventType;
  readonly path: InstructionPath;
  /** `path` as one number, below 2^53, with the same order. */
  readonly order: number;
  /** Absent where the instruction names only a token account: pending balance, emptying, credits switches. */
  readonly mint?: Address;
  /**
   * Transfers and burns: the account debited. Deposits and withdrawals move between the two balances of one account,
   * which is both source and destination. Instructions about one account name it here.
   */
  readonly sourceAccount?: Address;
  readonly destinationAccount?: Address;
  /** Present on transfers, mints and burns; exactly the instruction's bytes. */
  readonly ciphertexts: { readonly auditor?: AuditorCiphertext };
  readonly publicData: EventPublicData;
  /** Every token account the instruction names; with `mint`, they are accounts of that mint. */
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
  /** Not empty means that events may be missing: Token-2022 as it is known could not have executed these. */
  readonly malformed: readonly MalformedInstruction[];
}
