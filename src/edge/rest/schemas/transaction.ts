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
  'An amount encrypted to the auditor key of the mint, exactly as the instruction holds it. The amount is ' +
    'lo + hi · 2^16.',
  Type.Object({
    lo: Type.String({ description: 'Base64 of 64 bytes: Pedersen commitment, then decryption handle.' }),
    hi: Type.String({ description: 'Base64 of 64 bytes: Pedersen commitment, then decryption handle.' }),
  }),
);

const PublicData = named(
  'PublicData',
  'The public data of an instruction. Members that do not apply to its type are absent.',
  Type.Object(
    {
      amount: Type.Optional(
        Type.String({ description: 'For deposits and withdrawals: the amount in base units.' }),
      ),
      credits: Type.Optional(
        oneOf(
          ['confidential', 'non_confidential'],
          'For `credits_changed`: the kind of credits that was enabled or disabled.',
        ),
      ),
      enabled: Type.Optional(
        Type.Boolean({
          description: 'For `credits_changed`: whether the account accepts these credits from then on.',
        }),
      ),
      decimals: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 255,
          description: 'For deposits and withdrawals: the number of decimals of the amount.',
        }),
      ),
      authority: Type.Optional(address('Authority of the instruction')),
      elGamalRegistry: Type.Optional(address('`configure_account`: the registry that the key comes from')),
      instructionPath: Type.Array(Type.Integer({ minimum: 0, description: 'One part of the position.' }), {
        description:
          'The position of the instruction: the index of the top-level instruction (from 0), the number of the ' +
          'inner instruction (from 1; 0 if none) and the number of the instruction in a batch (from 1; 0 if none).',
      }),
      instructionIndex: Type.Integer({ minimum: 0, description: 'Index of the top-level instruction.' }),
      auditorElGamalPubkey: Type.Optional(
        orNull(
          Type.String({
            description:
              'For `update_mint`: the new auditor key, base64 of 32 bytes. Null if the update removed the auditor key.',
          }),
        ),
      ),
      autoApproveNewAccounts: Type.Optional(
        Type.Boolean({
          description: 'For `update_mint`: whether new accounts need no approval from then on.',
        }),
      ),
      permissionedBurnAuthority: Type.Optional(
        address('`confidential_burn`: the burn authority of the mint that signed too'),
      ),
      maximumPendingBalanceCreditCounter: Type.Optional(
        Type.String({ description: 'For `configure_account`: the maximum number of pending credits.' }),
      ),
      expectedPendingBalanceCreditCounter: Type.Optional(
        Type.String({
          description: 'For `apply_pending_balance`: the number of pending credits that the owner expected.',
        }),
      ),
    },
    { dependentRequired: { autoApproveNewAccounts: ['auditorElGamalPubkey'] } },
  ),
);

export const TransactionSchema = named(
  'IndexedTransaction',
  'One confidential instruction of a successful transaction: its public data and its ciphertexts. It never ' +
    'has a decrypted amount.',
  Type.Object({
    id: identifier('txn', 'record'),
    assetId: identifier('ast', 'asset'),
    network: oneOf(['solana'], 'The ledger network.'),
    networkTransactionId: Type.String({ description: 'Transaction signature on the ledger (base58).' }),
    type: oneOf(EVENT_TYPES, 'The type of the instruction.'),
    slot: Type.Integer({ minimum: 0, description: 'Slot of the transaction.' }),
    blockTime: Type.Optional(Type.Integer({ description: 'The time of the block in Unix seconds.' })),
    signer: address('Fee payer of the transaction'),
    publicData: PublicData,
    ciphertexts: Type.Object(
      { auditor: Type.Optional(Ciphertext) },
      { description: 'The encrypted values of the instruction. Empty if there are none.' },
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
        description:
          'To get the next page, pass this value as `cursor` with the same filters. Null on the last page.',
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
      Type.Integer({
        minimum: 1,
        maximum: 200,
        default: 50,
        description: 'Maximum number of records to return.',
      }),
    ),
    cursor: Type.Optional(text(512, 'The `nextCursor` of the previous page. Use the same filters.')),
    type: Type.Optional(oneOf(EVENT_TYPES, 'Only records of this type.')),
    account: Type.Optional(text(64, 'Only records whose source or destination is this account (base58).')),
    from: Type.Optional(dateTime('Only records indexed at or after this time.')),
    to: Type.Optional(dateTime('Only records indexed before or at this time.')),
  },
  closed,
);
