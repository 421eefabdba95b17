import type { Maskable } from '../../cases/index.js';

/** The names in files of members that can be masked. */
export const MEMBER_NAMES = {
  id: 'id',
  networkTransactionId: 'network_transaction_id',
  blockTime: 'block_time',
  signer: 'signer',
  authority: 'authority',
  sourceAccount: 'source_account',
  destinationAccount: 'destination_account',
  amount: 'amount',
} as const satisfies Record<Maskable, string>;
