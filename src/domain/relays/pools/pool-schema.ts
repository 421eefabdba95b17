import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false };
const HEX = '^(0x)?([0-9a-fA-F]{2})*$';
const BASE58 = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';

const Hex = (description: string) => Type.String({ pattern: HEX, maxLength: 4_096, description });
const Address = (description: string) => Type.String({ pattern: BASE58, description });
const Name = (description: string) => Type.String({ minLength: 1, maxLength: 128, description });

const Seed = Type.Union(
  [
    Type.Object({ utf8: Type.String({ maxLength: 32, description: 'The seed as text.' }) }, closed),
    Type.Object({ hex: Hex('The seed as bytes.') }, closed),
    Type.Object(
      {
        signal: Type.Union(
          [
            Type.Literal('root', { description: 'The root, 32 bytes big-endian.' }),
            Type.Literal('each', { description: 'The nullifier or commitment that the account is for.' }),
          ],
          { description: 'A public signal, 32 bytes big-endian.' },
        ),
      },
      closed,
    ),
  ],
  { description: 'A seed of a program-derived address.' },
);

const Seeds = Type.Array(Seed, {
  minItems: 1,
  maxItems: 15,
  description: 'Derived under the program of the pool.',
});
const Writable = Type.Optional(
  Type.Boolean({ default: false, description: 'Whether the program writes to it.' }),
);

const Account = Type.Union(
  [
    Type.Object(
      { role: Type.Literal('relayer', { description: 'The relayer: fee payer, signer and writable.' }) },
      closed,
    ),
    Type.Object(
      {
        role: Type.Literal('recipient', { description: 'The recipient of the public amount.' }),
        writable: Type.Literal(true, { description: 'Always: it receives.' }),
      },
      closed,
    ),
    Type.Object({ address: Address('A fixed account.'), writable: Writable }, closed),
    Type.Object(
      {
        pda: Seeds,
        writable: Writable,
        forEach: Type.Optional(
          Type.Union([Type.Literal('nullifiers'), Type.Literal('commitments')], {
            description: 'One account for each of these signals, in their order.',
          }),
        ),
      },
      closed,
    ),
  ],
  { description: 'An account of the instruction.' },
);

const Circuit = Type.Object(
  {
    status: Type.Union([Type.Literal('active'), Type.Literal('deprecated')], {
      description: 'A deprecated circuit is not relayed anymore.',
    }),
    inputs: Type.Integer({ minimum: 1, maximum: 16, description: 'Nullifiers of a proof.' }),
    outputs: Type.Integer({ minimum: 1, maximum: 16, description: 'Commitments of a proof.' }),
    verificationKey: Type.Optional(Type.Object({}, { description: 'The key as snarkjs writes it.' })),
    verificationKeyFile: Type.Optional(Name('A file of the key, from the folder of the pools file.')),
  },
  { ...closed, description: 'A circuit, with one of `verificationKey` and `verificationKeyFile`.' },
);

const Pool = Type.Object(
  {
    poolSelector: Name('The name by which packages select the pool.'),
    name: Name('Display name.'),
    network: Type.Literal('solana'),
    programId: Address('The program of the pool.'),
    instruction: Type.Object(
      {
        prefix: Hex('The first bytes of the instruction data.'),
        data: Type.Array(
          Type.Union([Type.Literal('proof'), Type.Literal('signals'), Type.Literal('ciphertext')]),
          { minItems: 1, maxItems: 3, description: 'The parts that follow, in order.' },
        ),
      },
      closed,
    ),
    accounts: Type.Array(Account, {
      minItems: 1,
      maxItems: 64,
      description: 'In the order of the instruction.',
    }),
    lookupTables: Type.Optional(
      Type.Array(
        Type.Object(
          {
            address: Address('The table.'),
            addresses: Type.Array(Address('An account.'), {
              minItems: 1,
              maxItems: 256,
              description:
                'The accounts of the table on the ledger, in its order. It may hold more after them.',
            }),
          },
          closed,
        ),
        {
          maxItems: 8,
          description:
            'Address lookup tables. Accounts of the instruction that they hold take one byte in a transaction ' +
            'instead of 32, so that a pool with many accounts fits. Default: none.',
        },
      ),
    ),
    circuits: Type.Record(Type.String({ pattern: '^(0|[1-9][0-9]{0,15})$' }), Circuit, {
      minProperties: 1,
      description: 'By `zkConfigNonce`.',
    }),
    signals: Type.Tuple(
      [
        Type.Literal('root'),
        Type.Literal('publicAmount'),
        Type.Literal('extDataHash'),
        Type.Literal('nullifiers'),
        Type.Literal('commitments'),
      ],
      { description: 'The order of the public signals.' },
    ),
    nullifierAccount: Type.Object(
      { pda: Seeds },
      { ...closed, description: 'The account that exists once a nullifier is spent.' },
    ),
    computeUnits: Type.Integer({
      minimum: 1,
      maximum: 1_400_000,
      description: 'Maximum compute units of a transaction.',
    }),
    maxFeeLamports: Type.Integer({
      minimum: 5_000,
      maximum: 1_000_000_000,
      description: 'Maximum fee of a transaction.',
    }),
    maxCostLamports: Type.Optional(
      Type.Integer({
        minimum: 5_000,
        maximum: 10_000_000_000,
        description:
          'Maximum debit of the relayer for a transaction, rent included, as simulated. ' +
          'Default: `maxFeeLamports` plus 2,000,000 for each nullifier.',
      }),
    ),
    screening: Type.Object(
      {
        applications: Type.Optional(
          Type.Union(
            [
              Type.Array(Name('A public check id.'), { maxItems: 64, uniqueItems: true }),
              Type.Literal('*', {
                description: 'Each application that a package names, and no other. For test pools.',
              }),
            ],
            {
              description:
                'The applications that serve the pool: each always screens the recipient. Default: none.',
            },
          ),
        ),
        applicationIdHints: Type.Boolean({
          description: 'Whether a hint of a package may decide which of `applications` is asked first.',
        }),
        recipient: Type.Boolean({
          description:
            'Whether the recipient is screened by the screening steps when no application serves the pool.',
        }),
      },
      closed,
    ),
  },
  { ...closed, description: 'A shielded pool that packages are relayed to.' },
);

/** The file of `LUCARNE_POOLS_FILE`, as JSON Schema. */
export const PoolsFile = Type.Object(
  { pools: Type.Array(Pool, { maxItems: 256, description: 'Every pool, each under its own selector.' }) },
  {
    ...closed,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Pools',
    description: 'The pools that this relayer serves.',
  },
);

export type PoolsFile = Static<typeof PoolsFile>;
export type PoolEntry = PoolsFile['pools'][number];
export type SeedEntry = Static<typeof Seed>;
export type AccountEntry = Static<typeof Account>;
