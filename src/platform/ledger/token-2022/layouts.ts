import { address } from '../address.js';
import type { ConfidentialEventType } from './confidential-event.js';

/**
 * The byte layouts of Token-2022's confidential instructions, program version 11; integers are little-endian.
 * Source: `confidential_transfer`, `confidential_mint_burn` and `permissioned_burn` of the program's interface crate,
 * as generated in `@solana-program/token-2022` 0.15. Every instruction begins with two bytes, extension and
 * sub-instruction.
 */

export const TOKEN_2022_PROGRAM = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');

/** First byte of a `Batch`: then, until the end, account count u8, data length u8, data. It cannot be nested. */
export const BATCH = 255;

export const CIPHERTEXT_BYTES = 64;

/** Position of an `i8` offset to the instruction that holds a proof. An offset of zero means a context-state account. */
type ProofOffset = number;

/** The positions of an instruction's accounts. Proof accounts follow the fixed ones, and the authority follows them. */
interface AccountLayout {
  readonly mint?: number;
  readonly source?: number;
  readonly destination?: number;
  /** Number of accounts before those of the proofs. */
  readonly fixed: number;
  /** An account between those of the proofs and the authority; `burnAuthority`: the mint's permissioned-burn authority. */
  readonly between?: 'burnAuthority';
  /** ConfigureAccountWithRegistry has no authority: the registry's owner authorized it by writing the registry. */
  readonly authority?: 'none';
}

interface DataLayout {
  /** The total length in bytes. */
  readonly length: number;
  /**
   * Whether the program reads these bytes as a fixed-size struct and refuses any other length. Instructions without such a
   * struct may have any bytes after their first two, so a longer instruction is still valid.
   */
  readonly exact: boolean;
  /** Positions of the auditor ciphertexts, 64 bytes each. */
  readonly auditor?: { readonly lo: number; readonly hi: number };
  readonly proofs?: readonly ProofOffset[];
  /** Position of a u64. */
  readonly amount?: number;
  /** Position of a u8. */
  readonly decimals?: number;
  /** Positions of a u8 boolean and of a key of 32 bytes. A key of zeros means none. */
  readonly mintUpdate?: { readonly autoApprove: number; readonly auditorKey: number };
  /** Position of a u64. */
  readonly maximumPendingBalanceCreditCounter?: number;
  /** Position of a u64. */
  readonly expectedPendingBalanceCreditCounter?: number;
}

export interface InstructionLayout {
  readonly type: ConfidentialEventType;
  readonly accounts: AccountLayout;
  readonly data: DataLayout;
  /** For the four credits switches. */
  readonly switch?: { readonly credits: 'confidential' | 'non_confidential'; readonly enabled: boolean };
  /** The account at this index is an ElGamal registry. */
  readonly registry?: number;
}

const HEADER = 2;
/** An authenticated-encryption ciphertext of the owner's balance. It is not verified on chain, so it is never reported. */
const DECRYPTABLE_BALANCE = 36;
const AFTER_BALANCE = HEADER + DECRYPTABLE_BALANCE;
const AFTER_CIPHERTEXTS = AFTER_BALANCE + 2 * CIPHERTEXT_BYTES;

const auditor = { lo: AFTER_BALANCE, hi: AFTER_BALANCE + CIPHERTEXT_BYTES };

/** Decryptable balance, ciphertext lo, ciphertext hi, then one `i8` for each proof. */
function amountUnderAuditor(proofCount: number): DataLayout {
  const proofs = Array.from({ length: proofCount }, (_, index) => AFTER_CIPHERTEXTS + index);
  return { length: AFTER_CIPHERTEXTS + proofCount, exact: true, auditor, proofs };
}

const transferAccounts: AccountLayout = { source: 0, mint: 1, destination: 2, fixed: 3 };
const burnAccounts: AccountLayout = { source: 0, mint: 1, fixed: 2 };
const ownBalances: AccountLayout = { source: 0, destination: 0, mint: 1, fixed: 2 };
const oneAccount: AccountLayout = { source: 0, fixed: 1 };
const accountOfMint: AccountLayout = { source: 0, mint: 1, fixed: 2 };
const headerOnly: DataLayout = { length: HEADER, exact: false };

function creditsSwitch(credits: 'confidential' | 'non_confidential', enabled: boolean): InstructionLayout {
  return { type: 'credits_changed', accounts: oneAccount, data: headerOnly, switch: { credits, enabled } };
}

/** ConfidentialTransferExtension, by sub-instruction. InitializeMint (0) precedes the mint and is not an event. */
const CONFIDENTIAL_TRANSFER: Readonly<Record<number, InstructionLayout>> = {
  // UpdateMint: auto-approve u8, auditor key 32.
  1: {
    type: 'update_mint',
    accounts: { mint: 0, fixed: 1 },
    data: { length: 35, exact: true, mintUpdate: { autoApprove: 2, auditorKey: 3 } },
  },
  // ConfigureAccount: decryptable zero balance 36, maximum pending balance credit counter u64, proof offset i8.
  2: {
    type: 'configure_account',
    accounts: accountOfMint,
    data: { length: 47, exact: true, maximumPendingBalanceCreditCounter: 38, proofs: [46] },
  },
  // ApproveAccount.
  3: { type: 'approve_account', accounts: accountOfMint, data: headerOnly },
  // EmptyAccount: proof offset i8.
  4: { type: 'empty_account', accounts: oneAccount, data: { length: 3, exact: true, proofs: [2] } },
  // Deposit: amount u64, decimals u8.
  5: {
    type: 'confidential_deposit',
    accounts: ownBalances,
    data: { length: 11, exact: true, amount: 2, decimals: 10 },
  },
  // Withdraw: amount u64, decimals u8, new decryptable balance 36, equality and range proof offsets i8.
  6: {
    type: 'confidential_withdraw',
    accounts: ownBalances,
    data: { length: 49, exact: true, amount: 2, decimals: 10, proofs: [47, 48] },
  },
  // Transfer: proofs of equality, ciphertext validity, range.
  7: { type: 'confidential_transfer', accounts: transferAccounts, data: amountUnderAuditor(3) },
  // ApplyPendingBalance: expected pending balance credit counter u64, new decryptable balance 36.
  8: {
    type: 'apply_pending_balance',
    accounts: oneAccount,
    data: { length: 46, exact: true, expectedPendingBalanceCreditCounter: 2 },
  },
  9: creditsSwitch('confidential', true),
  10: creditsSwitch('confidential', false),
  11: creditsSwitch('non_confidential', true),
  12: creditsSwitch('non_confidential', false),
  // TransferWithFee: proofs of equality, ciphertext validity, fee sigma, fee ciphertext validity, range. The fee is encrypted
  // only to the destination and to the withdraw-withheld authority: there is no handle of it for the auditor.
  13: { type: 'confidential_transfer_with_fee', accounts: transferAccounts, data: amountUnderAuditor(5) },
  // ConfigureAccountWithRegistry: account, mint, registry, and payer and system program if it reallocates.
  14: {
    type: 'configure_account',
    accounts: { ...accountOfMint, fixed: 3, authority: 'none' },
    data: headerOnly,
    registry: 2,
  },
};

/**
 * ConfidentialMintBurnExtension. 0 to 2 set up and repair the key and the AE balance of the supply; 5 settles earlier burns.
 */
const CONFIDENTIAL_MINT_BURN: Readonly<Record<number, InstructionLayout>> = {
  3: {
    type: 'confidential_mint',
    accounts: { destination: 0, mint: 1, fixed: 2 },
    data: amountUnderAuditor(3),
  },
  4: { type: 'confidential_burn', accounts: burnAccounts, data: amountUnderAuditor(3) },
};

/** PermissionedBurnExtension. Its confidential burn has the layout of the ordinary one, with one more authority. */
const PERMISSIONED_BURN: Readonly<Record<number, InstructionLayout>> = {
  3: {
    type: 'confidential_burn',
    accounts: { ...burnAccounts, between: 'burnAuthority' },
    data: amountUnderAuditor(3),
  },
};

const EXTENSIONS: Readonly<Record<number, Readonly<Record<number, InstructionLayout>>>> = {
  27: CONFIDENTIAL_TRANSFER,
  42: CONFIDENTIAL_MINT_BURN,
  46: PERMISSIONED_BURN,
};

/** The layout of an instruction by its first two bytes; undefined for an instruction that is not an event. */
export function layoutOf(data: Uint8Array): InstructionLayout | undefined {
  const [extension, subInstruction] = data;
  if (extension === undefined || subInstruction === undefined) return undefined;
  return EXTENSIONS[extension]?.[subInstruction];
}

/** A ZK ElGamal proof instruction of this length has its proof in a record account: discriminator u8, offset u32. */
export const PROOF_IN_RECORD_ACCOUNT_BYTES = 5;
