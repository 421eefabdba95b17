import { Type } from 'typebox';
import { address, closed, dateTime, identifier, named, oneOf, orNull, text, timestamp } from './common.js';

const EVENT_TYPES = [
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

const PublicData = named(
  'PublicData',
  'What an instruction says in the clear. Members that its type does not have are absent.',
  Type.Object(
    {
      amount: Type.Optional(Type.String({ description: 'Deposits and withdrawals: base units.' })),
      credits: Type.Optional(
        oneOf(['confidential', 'non_confidential'], '`credits_changed`: which credits were switched.'),
      ),
      enabled: Type.Optional(
        Type.Boolean({ description: '`credits_changed`: whether the account accepts them from then on.' }),
      ),
      decimals: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 255, description: 'Deposits and withdrawals: decimals.' }),
      ),
      authority: Type.Optional(address('Authority of the instruction')),
      elGamalRegistry: Type.Optional(address('`configure_account`: the registry that the key comes from')),
      instructionPath: Type.Array(Type.Integer({ minimum: 0, description: 'An index.' }), {
        description: 'Top-level instruction, inner instruction (0: none), member of a batch (0: none).',
      }),
      instructionIndex: Type.Integer({ minimum: 0, description: 'Index of the top-level instruction.' }),
      auditorElGamalPubkey: Type.Optional(
        orNull(
          Type.String({
            description: '`update_mint`: the new auditor key, base64 of 32 bytes; null for no auditor.',
          }),
        ),
      ),
      autoApproveNewAccounts: Type.Optional(
        Type.Boolean({ description: '`update_mint`: whether new accounts need no approval from then on.' }),
      ),
      permissionedBurnAuthority: Type.Optional(
        address('`confidential_burn`: the burn authority of the mint that signed too'),
      ),
      maximumPendingBalanceCreditCounter: Type.Optional(
        Type.String({ description: '`configure_account`: how many credits may be pending at once.' }),
      ),
      expectedPendingBalanceCreditCounter: Type.Optional(
        Type.String({ description: '`apply_pending_balance`: how many pending credits the owner expected.' }),
      ),
    },
    { dependentRequired: { autoApproveNewAccounts: ['auditorElGamalPubkey'] } },
  ),
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
    publicData: PublicData,
    ciphertexts: Type.Object(
      { auditor: Type.Optional(Ciphertext) },
      { description: 'The confidential fields as they stand on the ledger; empty where there are none.' },
    ),
    indexedAt: timestamp('When the record was written.'),
    sourceAccount: orNull(address('Token account debited, or the one the instruction is about')),
    destinationAccount: orNull(address('Token account credited')),
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
    cursor: Type.Optional(text(512, 'The `nextCursor` of the previous page. Use the same filters.')),
    type: Type.Optional(oneOf(EVENT_TYPES, 'Only records of this type.')),
    account: Type.Optional(text(64, 'Only records whose source or destination is this account (base58).')),
    from: Type.Optional(dateTime('Only records indexed at or after this time.')),
    to: Type.Optional(dateTime('Only records indexed before or at this time.')),
  },
  closed,
);
