import type { DisclosureFlags } from '../disclosure-flags.js';
import type { CaseTransactionType } from './case-transaction-types.js';

/** Members that can be masked. */
export const MASKABLE = [
  'id',
  'networkTransactionId',
  'blockTime',
  'signer',
  'authority',
  'sourceAccount',
  'destinationAccount',
  'amount',
] as const;
export type Maskable = (typeof MASKABLE)[number];

/** Members that name the sender. */
export const SENDERS = ['signer', 'authority', 'sourceAccount'] as const satisfies readonly Maskable[];

export interface Mask {
  /** The flag that shows the member. */
  readonly flag: keyof DisclosureFlags;
  /** The members that a missing flag hides: always, or only if they also name the sender. */
  readonly hides: 'everything' | 'the sender';
}

const MASKS_OF_MOST = {
  id: { flag: 'fullTxIds', hides: 'everything' },
  networkTransactionId: { flag: 'fullTxIds', hides: 'everything' },
  blockTime: { flag: 'fullTxIds', hides: 'everything' },
  signer: { flag: 'senderInformation', hides: 'everything' },
  authority: { flag: 'senderInformation', hides: 'everything' },
  sourceAccount: { flag: 'senderInformation', hides: 'everything' },
  destinationAccount: { flag: 'senderInformation', hides: 'the sender' },
  amount: null,
} as const satisfies Record<Maskable, Mask | null>;

/**
 * The masks of each type of record. Null if every case shows the member. A deposit or withdrawal moves value between the two
 * balances of one account, so its destination is its sender. It must not appear in one member while another one hides it,
 * except for a withdrawal whose destination `withdrawalDetails` grants. Rows and statements both use this table.
 */
const MASKS: Readonly<Record<CaseTransactionType, Readonly<Record<Maskable, Mask | null>>>> = {
  confidential_deposit: MASKS_OF_MOST,
  confidential_withdraw: {
    ...MASKS_OF_MOST,
    destinationAccount: { flag: 'withdrawalDetails', hides: 'everything' },
    amount: { flag: 'withdrawalDetails', hides: 'everything' },
  },
  confidential_transfer: MASKS_OF_MOST,
  confidential_transfer_with_fee: MASKS_OF_MOST,
  confidential_mint: MASKS_OF_MOST,
  confidential_burn: MASKS_OF_MOST,
};

/** The mask of a member in a case with these flags. Null if the case shows the member. */
export function maskOf(type: CaseTransactionType, member: Maskable, flags: DisclosureFlags): Mask | null {
  const mask = MASKS[type][member];
  return mask === null || flags[mask.flag] ? null : mask;
}
