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
  'The records of an account, with an optional period.',
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
  'A disclosure to request.',
  Type.Object(
    {
      assetId: text(64, 'The asset (`ast_…`).'),
      purpose: text(2000, 'The business or compliance reason for the disclosure.'),
      scope: Type.Union([ScopeByTransactions, ScopeByAccount], {
        description: 'The records and fields to disclose: chosen records, or the records of an account.',
      }),
      format: oneOf(FORMATS, 'The format of the result.'),
      externalReference: Type.Optional(text(256, 'An identifier that you choose for the disclosure.')),
    },
    closed,
  ),
);

const fieldNames = (description: string) =>
  Type.Optional(Type.Array(oneOf(FIELDS, 'A confidential field.'), { description }));

const ValueProof = named(
  'ValueProof',
  'A proof that a disclosed value is the decryption of the ciphertext on the ledger. All members are in ' +
    'base64.',
  Type.Object({
    auditorElGamalPubkey: Type.String({
      description: 'The auditor key that the value is encrypted to: 32 bytes.',
    }),
    ciphertext: Type.Object(
      {
        lo: Type.String({ description: '64 bytes.' }),
        hi: Type.String({ description: '64 bytes.' }),
      },
      { description: 'The two parts of the ciphertext. The value is lo + hi · 2^16.' },
    ),
    proof: Type.String({ description: 'The proof in the scheme that the result names: 96 bytes.' }),
  }),
);

const DisclosedRecord = named(
  'DisclosedRecord',
  'A record of a disclosure result. It has the confidential fields that were requested.',
  Type.Object({
    transactionId: identifier('txn', 'record'),
    networkTransactionId: Type.String({ description: 'Transaction signature on the ledger (base58).' }),
    type: Type.String({ description: 'The type of the instruction.' }),
    slot: Type.Integer({ minimum: 0, description: 'Slot of the transaction.' }),
    blockTime: orNull(Type.Integer({ description: 'The time of the block in Unix seconds.' })),
    sourceAccount: orNull(address('Source token account')),
    destinationAccount: orNull(address('Destination token account')),
    decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'The number of decimals of the mint.' }),
    amount: Type.Optional(
      orNull(
        Type.String({
          pattern: '^[0-9]+$',
          description:
            'The amount in base units. Null if the record moves no amount, or if `undecryptable` lists it.',
        }),
      ),
    ),
    fee: Type.Optional(
      orNull(
        Type.String({
          pattern: '^[0-9]+$',
          description: 'The fee in base units. Null if there is none, or if `unavailable` lists it.',
        }),
      ),
    ),
    proof: orNull(
      Type.Object(
        { amount: ValueProof },
        { description: 'The proofs of the decrypted values, by field. Null if nothing was decrypted.' },
      ),
    ),
    public: fieldNames('The requested fields that are public on the ledger and therefore need no proof.'),
    undecryptable: fieldNames('The requested fields that no key of the organization decrypts.'),
    unavailable: fieldNames('The requested fields that the ledger does not encrypt to the auditor key.'),
  }),
);

const DisclosureResult = named(
  'DisclosureResult',
  'The result of a disclosure. To verify a saved disclosure offline, use `lucarne disclosure verify`.',
  Type.Object({
    format: oneOf(FORMATS, 'The requested format of `content`.'),
    generatedAt: timestamp('When the result was generated.'),
    receiptId: identifier('rcp', 'signed receipt'),
    deletedAt: Type.Optional(
      timestamp(
        'When the result was deleted at the end of its retention period. `records`, `content` and `salt` are ' +
          'then null; the receipt is kept.',
      ),
    ),
    records: orNull(Type.Array(DisclosedRecord, { description: 'The records, whatever the format.' })),
    content: orNull(Type.String({ description: 'The records as RFC 4180 CSV, or as JSON text.' })),
    proof: Type.Object(
      { scheme: Type.String({ description: 'Name of the proof scheme.' }) },
      { ...open, description: 'The scheme of the proofs, and how to check them.' },
    ),
    salt: orNull(
      Type.String({
        description: 'The salt of the digests in the receipt: base64 of 16 bytes.',
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
  'A disclosure of confidential fields: the request, its decision and, once authorized, its result.',
  Type.Object({
    id: identifier('dsc', 'disclosure'),
    assetId: identifier('ast', 'asset'),
    purpose: Type.String({ description: 'The business or compliance reason for the disclosure.' }),
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
      { description: 'The requested records and fields.' },
    ),
    format: oneOf(FORMATS, 'The requested format.'),
    status: oneOf(
      ['pending', 'available', 'rejected'],
      'The status: `pending` until the disclosure is decided and its result is generated, then permanently ' +
        '`available` or `rejected`.',
    ),
    externalReference: Type.Optional(
      Type.String({ description: 'An identifier that you choose for the disclosure.' }),
    ),
    requestedAt: timestamp('When the disclosure was requested.'),
    resolvedAt: Type.Optional(timestamp('When the disclosure became available or was rejected.')),
    result: orNull(DisclosureResult),
  }),
);

export const DisclosureParams = Type.Object({ disclosureId: identifier('dsc', 'disclosure') }, closed);
