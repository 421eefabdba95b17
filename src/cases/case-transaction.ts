import { unreachable } from '../kernel/unreachable.js';
import type { Id } from '../kernel/ids.js';
import type { ConfidentialEventType } from '../ledger/index.js';
import type { IndexedTransaction } from '../transactions/index.js';
import type { DisclosureFlags } from './disclosure-flags.js';

/** The records that move value. Those that only prepare or configure an account say nothing to an auditor. */
export const CASE_TRANSACTION_TYPES = [
  'confidential_deposit',
  'confidential_withdraw',
  'confidential_transfer',
  'confidential_transfer_with_fee',
  'confidential_mint',
  'confidential_burn',
] as const satisfies readonly ConfidentialEventType[];
export type CaseTransactionType = (typeof CASE_TRANSACTION_TYPES)[number];

/** Members that can be masked. */
export const MASKABLE = [
  'id',
  'networkTransactionId',
  'signer',
  'authority',
  'sourceAccount',
  'destinationAccount',
  'amount',
] as const;
export type Maskable = (typeof MASKABLE)[number];

/** A record as the auditors of a case may see it. */
export interface CaseTransaction {
  /** Id of the record; its first and last 4 characters without `fullTxIds`. */
  readonly id: string;
  /** The transaction's signature on the ledger; its first and last 4 characters without `fullTxIds`. */
  readonly networkTransactionId: string;
  readonly assetId: Id<'ast'>;
  readonly symbol: string;
  readonly decimals: number;
  readonly type: CaseTransactionType;
  /** Unix seconds. */
  readonly blockTime: number;
  /** Of the sender: who paid for the transaction, who authorized it, the account debited. */
  readonly signer: string | null;
  readonly authority: string | null;
  readonly sourceAccount: string | null;
  readonly destinationAccount: string | null;
  /** Base units as a decimal string; null where it is masked or cannot be decrypted. */
  readonly amount: string | null;
  /** Whether none of the organization's keys opens the amount's ciphertext. */
  readonly undecryptable: boolean;
  /** The members that the case's flags do not grant: null, and ids shortened. */
  readonly restricted: readonly Maskable[];
}

/** What a case needs of an indexed record, and what its asset adds. */
export interface CaseRow extends Pick<
  IndexedTransaction,
  | 'id'
  | 'assetId'
  | 'position'
  | 'networkTransactionId'
  | 'slot'
  | 'signer'
  | 'sourceAccount'
  | 'destinationAccount'
  | 'ciphertexts'
> {
  readonly type: CaseTransactionType;
  readonly blockTime: number;
  readonly authority: string | null;
  /** Base units; null where the amount is encrypted. */
  readonly publicAmount: string | null;
  readonly symbol: string;
  readonly decimals: number;
}

/** An amount as it was found; undefined where no key opens it. */
export type KnownAmount = string | undefined;

/**
 * What of a record a case's flags show. Deposits and withdrawals move between the two balances of one account, so
 * that their destination is the sender: it is not shown in one member while another hides it, but for a withdrawal
 * whose destination `withdrawalDetails` grants.
 */
export function maskTransaction(row: CaseRow, amount: KnownAmount, flags: DisclosureFlags): CaseTransaction {
  const full = {
    id: row.id,
    networkTransactionId: row.networkTransactionId,
    signer: row.signer,
    authority: row.authority,
    sourceAccount: row.sourceAccount,
    destinationAccount: row.destinationAccount,
    amount: amount ?? null,
  } satisfies Record<Maskable, string | null>;
  const hidden = MASKABLE.filter((member) => isHidden(member, row, full, flags));
  const hides = (member: Maskable) => hidden.includes(member);
  const shown = <Member extends Maskable>(member: Member) => (hides(member) ? null : full[member]);
  return {
    id: hides('id') ? shorten(full.id) : full.id,
    networkTransactionId: hides('networkTransactionId')
      ? shorten(full.networkTransactionId)
      : full.networkTransactionId,
    assetId: row.assetId,
    symbol: row.symbol,
    decimals: row.decimals,
    type: row.type,
    blockTime: row.blockTime,
    signer: shown('signer'),
    authority: shown('authority'),
    sourceAccount: shown('sourceAccount'),
    destinationAccount: shown('destinationAccount'),
    amount: shown('amount'),
    undecryptable: amount === undefined && !hides('amount'),
    restricted: hidden.filter((member) => full[member] !== null || member === 'amount'),
  };
}

function isHidden(
  member: Maskable,
  { type }: Pick<CaseRow, 'type'>,
  full: Readonly<Record<Maskable, string | null>>,
  flags: DisclosureFlags,
): boolean {
  switch (member) {
    case 'id':
    case 'networkTransactionId':
      return !flags.fullTxIds;
    case 'signer':
    case 'authority':
    case 'sourceAccount':
      return !flags.senderInformation;
    case 'destinationAccount': {
      if (type === 'confidential_withdraw') return !flags.withdrawalDetails;
      const senders = [full.signer, full.authority, full.sourceAccount];
      return !flags.senderInformation && senders.includes(full.destinationAccount);
    }
    case 'amount':
      return type === 'confidential_withdraw' && !flags.withdrawalDetails;
    default:
      return unreachable(member);
  }
}

/** `txn_…q7ka`: the first and the last 4 characters. */
const shorten = (text: string) => `${text.slice(0, 4)}…${text.slice(-4)}`;
