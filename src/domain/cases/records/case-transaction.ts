import type { Id } from '../../../platform/kernel/ids.js';
import type { IndexedTransaction } from '../../transactions/index.js';
import { DAY_SECONDS, dayOf } from '../case-window.js';
import type { DisclosureFlags } from '../disclosure-flags.js';
import { MASKABLE, type Maskable, maskOf, SENDERS } from './case-masks.js';
import { referenceId } from './case-references.js';
import type { CaseTransactionType } from './case-transaction-types.js';

/** A record as the auditors of a case see it. */
export interface CaseTransaction {
  /** Id of the record. Without `fullTxIds`, a reference that is valid in this case only. */
  readonly id: string;
  /** The transaction's signature on the ledger; null without `fullTxIds`. */
  readonly networkTransactionId: string | null;
  readonly assetId: Id<'ast'>;
  readonly symbol: string;
  readonly decimals: number;
  readonly type: CaseTransactionType;
  /** Unix seconds; without `fullTxIds` the beginning of the UTC day. */
  readonly blockTime: number;
  /** Members about the sender: the fee payer, the authority, and the debited account. */
  readonly signer: string | null;
  readonly authority: string | null;
  readonly sourceAccount: string | null;
  readonly destinationAccount: string | null;
  /** Base units as a decimal string; null if it is masked or cannot be decrypted. */
  readonly amount: string | null;
  /** Whether no key of the organization decrypts the amount. */
  readonly undecryptable: boolean;
  /** The members that the case's flags do not grant. They are null, except the id and the time. */
  readonly restricted: readonly Maskable[];
  /** The same members, each with the flag that would show it. */
  readonly restrictions: readonly Restriction[];
}

export interface Restriction {
  readonly member: Maskable;
  readonly flag: keyof DisclosureFlags;
}

/** The members of an indexed record that a case needs, and those of its asset. */
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
  /** Replaces the id if the case does not grant it: 32 hex digits. */
  readonly reference: string | null;
  readonly authority: string | null;
  /** Base units; null if the amount is encrypted. */
  readonly publicAmount: string | null;
  readonly symbol: string;
  readonly decimals: number;
}

/** The decrypted amount; undefined if no key decrypts it. */
export type KnownAmount = string | undefined;

/** The members of a record that the flags of a case show. */
export function maskTransaction(row: CaseRow, amount: KnownAmount, flags: DisclosureFlags): CaseTransaction {
  const full = {
    id: row.id,
    networkTransactionId: row.networkTransactionId,
    blockTime: row.blockTime,
    signer: row.signer,
    authority: row.authority,
    sourceAccount: row.sourceAccount,
    destinationAccount: row.destinationAccount,
    amount: amount ?? null,
  } satisfies Record<Maskable, string | number | null>;
  const hidden: Restriction[] = [];
  for (const member of MASKABLE) {
    const mask = maskOf(row.type, member, flags);
    if (mask && (mask.hides === 'everything' || SENDERS.some((sender) => full[sender] === full[member])))
      hidden.push({ member, flag: mask.flag });
  }
  const hides = (member: Maskable) => hidden.some((restriction) => restriction.member === member);
  const shown = <Member extends Maskable>(member: Member) => (hides(member) ? null : full[member]);
  const restrictions = hidden.filter(({ member }) => full[member] !== null || member === 'amount');
  return {
    id: hides('id') ? referenceId(requireReference(row)) : full.id,
    networkTransactionId: shown('networkTransactionId'),
    assetId: row.assetId,
    symbol: row.symbol,
    decimals: row.decimals,
    type: row.type,
    blockTime: hides('blockTime') ? dayOf(row.blockTime) * DAY_SECONDS : row.blockTime,
    signer: shown('signer'),
    authority: shown('authority'),
    sourceAccount: shown('sourceAccount'),
    destinationAccount: shown('destinationAccount'),
    amount: shown('amount'),
    undecryptable: amount === undefined && !hides('amount'),
    restricted: restrictions.map(({ member }) => member),
    restrictions,
  };
}

function requireReference({ reference }: CaseRow): string {
  if (reference === null) throw new Error('A masked record has no reference.');
  return reference;
}
