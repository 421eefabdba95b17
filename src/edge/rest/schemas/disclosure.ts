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

const FORMATS = ['json', 'csv'];
const FIELDS = ['amount', 'fee'];

const requestedFields = Type.Array(oneOf(FIELDS, 'A confidential field.'), {
  minItems: 1,
  uniqueItems: true,
  description: 'The confidential fields to disclose.',
});

const ScopeByTransactions = named(
  'DisclosureScopeByTransactions',
  'Chosen records.',
  Type.Object(
    {
      transactionIds: Type.Array(text(128, 'Id of a record of the asset (`txn_…`).'), {
        minItems: 1,
        maxItems: 10_000,
        uniqueItems: true,
        description: 'The records to disclose.',
      }),
      fields: requestedFields,
    },
    closed,
  ),
);

const ScopeByAccount = named(
  'DisclosureScopeByAccount',
  'The records of an account, optionally of a period.',
  Type.Object(
    {
      account: text(64, 'Token account, as source or destination (base58).'),
      from: Type.Optional(dateTime('Only records whose block time is at or after this time.')),
      to: Type.Optional(dateTime('Only records whose block time is before or at this time.')),
      fields: requestedFields,
    },
    closed,
  ),
);

export const RequestDisclosureSchema = named(
  'RequestDisclosure',
  'A scoped disclosure of confidential fields.',
  Type.Object(
    {
      assetId: text(64, 'The asset (`ast_…`).'),
      purpose: text(2000, 'The business or compliance reason.'),
      scope: Type.Union([ScopeByTransactions, ScopeByAccount], {
        description: 'Which records and fields: chosen records, or the records of an account.',
      }),
      format: oneOf(FORMATS, 'The format of the result.'),
      externalReference: Type.Optional(text(256, 'Your own identifier.')),
    },
    closed,
  ),
);

const fieldNames = (description: string) =>
  Type.Optional(Type.Array(oneOf(FIELDS, 'A confidential field.'), { description }));

const ValueProof = named(
  'ValueProof',
  'Shows that a disclosed value is the decryption of the ledger’s ciphertext. Everything is base64.',
  Type.Object({
    auditorElGamalPubkey: Type.String({ description: '32 bytes: the key the amount is encrypted under.' }),
    ciphertext: Type.Object(
      {
        lo: Type.String({ description: '64 bytes.' }),
        hi: Type.String({ description: '64 bytes.' }),
      },
      { description: 'The two parts of the instruction: the value is that of lo + 2^16 · that of hi.' },
    ),
    proof: Type.String({ description: '96 bytes, by the scheme that the result names.' }),
  }),
);

const DisclosedRecord = named(
  'DisclosedRecord',
  'One record. Of the confidential fields it has those that were asked for.',
  Type.Object({
    transactionId: identifier('txn', 'record'),
    networkTransactionId: Type.String({ description: 'Transaction signature on the ledger (base58).' }),
    type: Type.String({ description: 'What the instruction did.' }),
    slot: Type.Integer({ minimum: 0, description: 'Slot of the transaction.' }),
    blockTime: orNull(Type.Integer({ description: 'Block time, Unix seconds.' })),
    sourceAccount: orNull(address('Source token account')),
    destinationAccount: orNull(address('Destination token account')),
    decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'Decimals of the mint.' }),
    amount: Type.Optional(
      orNull(
        Type.String({
          pattern: '^[0-9]+$',
          description: 'Base units. Null where the record moves no amount, or `undecryptable` names it.',
        }),
      ),
    ),
    fee: Type.Optional(
      orNull(
        Type.String({
          pattern: '^[0-9]+$',
          description: 'Base units. Null where there is none, or `unavailable` names it.',
        }),
      ),
    ),
    proof: orNull(
      Type.Object({ amount: ValueProof }, { description: 'By field, of the values that were decrypted.' }),
    ),
    public: fieldNames('Fields that stand on the ledger in the clear, and so need no proof.'),
    undecryptable: fieldNames('Fields whose ciphertext none of the organization’s keys opens.'),
    unavailable: fieldNames('Fields that the ledger does not encrypt to the auditor.'),
  }),
);

const DisclosureResult = named(
  'DisclosureResult',
  'What was disclosed. Can be checked offline with `lucarne disclosure verify`.',
  Type.Object({
    format: oneOf(FORMATS, 'The requested format, which `content` is in.'),
    generatedAt: timestamp('When the result was made.'),
    receiptId: identifier('rcp', 'signed receipt'),
    deletedAt: Type.Optional(
      timestamp(
        'When it was deleted at the end of its retention: then `records`, `content` and `salt` are null. The receipt stays.',
      ),
    ),
    records: orNull(Type.Array(DisclosedRecord, { description: 'The records, whatever the format.' })),
    content: orNull(Type.String({ description: 'The records as RFC 4180 CSV, or as JSON text.' })),
    proof: Type.Object(
      { scheme: Type.String({ description: 'Name of the proof scheme.' }) },
      { ...open, description: 'The scheme of the records’ proofs and how to check them.' },
    ),
    salt: orNull(
      Type.String({
        description: 'Salt of the digests of the receipt: 16 bytes in base64.',
      }),
    ),
    receipt: Type.Object(
      {},
      { ...open, description: 'The signed receipt: body, signature and verifier key.' },
    ),
  }),
);

export const DisclosureSchema = named(
  'Disclosure',
  'A disclosure: requested, decided, and when authorized, answered.',
  Type.Object({
    id: identifier('dsc', 'disclosure'),
    assetId: identifier('ast', 'asset'),
    purpose: Type.String({ description: 'The reason as given.' }),
    scope: Type.Object(
      {
        transactionIds: Type.Optional(Type.Array(Type.String(), { description: 'The chosen records.' })),
        account: Type.Optional(address('The account')),
        from: Type.Optional(timestamp('Earliest block time, inclusive.')),
        to: Type.Optional(timestamp('Latest block time, inclusive.')),
        fields: Type.Array(oneOf(FIELDS, 'A confidential field.'), {
          description: 'The confidential fields to disclose.',
        }),
      },
      { description: 'The scope as given.' },
    ),
    format: oneOf(FORMATS, 'The requested format.'),
    status: oneOf(
      ['pending', 'available', 'rejected'],
      '`pending` until decided and made, then `available` or `rejected` permanently.',
    ),
    externalReference: Type.Optional(Type.String({ description: 'Your own identifier.' })),
    requestedAt: timestamp('When it was requested.'),
    resolvedAt: Type.Optional(timestamp('When it became available or was rejected.')),
    result: orNull(DisclosureResult),
  }),
);

export const DisclosureParams = Type.Object({ disclosureId: identifier('dsc', 'disclosure') }, closed);
