import { Type } from 'typebox';
import {
  address,
  closed,
  dateTime,
  identifier,
  named,
  oneOf,
  open,
  orNull,
  text,
  timestamp,
} from './common.js';

export const EVENT_TYPES = [
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
];

const Ciphertext = named(
  'AuditorCiphertext',
  'An amount under the auditor key of the mint: amount = lo + hi × 2^16. Exactly the bytes of the instruction.',
  Type.Object({
    lo: Type.String({ description: 'Base64 of 64 bytes: Pedersen commitment, then decryption handle.' }),
    hi: Type.String({ description: 'Base64 of 64 bytes: Pedersen commitment, then decryption handle.' }),
  }),
);

export const TransactionSchema = named(
  'IndexedTransaction',
  'One confidential instruction of a transaction that succeeded: public data and ciphertexts, never plaintext.',
  Type.Object({
    id: identifier('txn', 'record'),
    assetId: identifier('ast', 'asset'),
    network: oneOf(['solana'], 'The ledger network.'),
    networkTransactionId: Type.String({ description: 'Transaction signature on the ledger (base58).' }),
    type: oneOf(EVENT_TYPES, 'What the instruction did.'),
    slot: Type.Integer({ minimum: 0, description: 'Slot of the transaction.' }),
    blockTime: Type.Optional(Type.Integer({ description: 'Block time, Unix seconds.' })),
    signer: address('Fee payer of the transaction'),
    publicData: Type.Object(
      {},
      {
        ...open,
        description:
          'What the instruction says in the clear: public amounts of deposits and withdrawals, authority, instruction index.',
      },
    ),
    ciphertexts: Type.Object(
      { auditor: Type.Optional(Ciphertext) },
      { description: 'The confidential fields as they stand on the ledger; empty where there are none.' },
    ),
    indexedAt: timestamp('When the record was written.'),
    sourceAccount: Type.Optional(address('Token account debited, or the one the instruction is about')),
    destinationAccount: Type.Optional(address('Token account credited')),
  }),
);

export const TransactionPageSchema = named(
  'TransactionPage',
  'A page of records, oldest first, in the order in which they were indexed.',
  Type.Object({
    assetId: identifier('ast', 'asset'),
    transactions: Type.Array(TransactionSchema, { description: 'The records of this page.' }),
    nextCursor: orNull(
      Type.String({
        description: 'Pass it as `cursor`, with the same filters, for the next page. Null on the last one.',
      }),
    ),
  }),
);

export const TransactionParams = Type.Object(
  {
    transactionId: Type.String({
      description: 'Id of the record (`txn_…`), or the transaction signature on the ledger (base58).',
    }),
  },
  closed,
);

export const TransactionListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Records of the page.' }),
    ),
    cursor: Type.Optional(text(512, '`nextCursor` of the page before, made with the same filters.')),
    type: Type.Optional(oneOf(EVENT_TYPES, 'Only records of this type.')),
    account: Type.Optional(text(64, 'Only records whose source or destination is this account (base58).')),
    from: Type.Optional(dateTime('Only records indexed at or after this time.')),
    to: Type.Optional(dateTime('Only records indexed before or at this time.')),
  },
  closed,
);
