import { Type } from 'typebox';
import { address, closed, identifier, named, oneOf, text, timestamp } from './common.js';

const STATUSES = ['pending', 'active', 'error', 'disabled'];

export const AssetSchema = named(
  'Asset',
  'A confidential asset. Members without a value are absent, such as those of the mint before it is bound.',
  Type.Object({
    id: identifier('ast', 'asset'),
    workspaceId: Type.Optional(
      Type.String({ description: 'The workspace identifier that was given when the asset was registered.' }),
    ),
    name: Type.String({ description: 'Display name.' }),
    symbol: Type.String({ description: 'Ticker symbol.' }),
    decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'The number of decimals of the mint.' }),
    creatorAuthority: Type.Optional(
      Type.String({ description: 'The ledger authority that creates or controls the mint.' }),
    ),
    auditorElGamalPubkey: Type.String({
      description: 'The auditor ElGamal public key to configure the mint with: standard base64 of 32 bytes.',
    }),
    auditorKeyProvider: Type.String({
      description:
        'Where the secret of the auditor key is kept. Always `local`: encrypted in the database of this gateway.',
    }),
    mintAddress: Type.Optional(address('The bound mint')),
    deploymentSignature: Type.Optional(
      Type.String({
        description: 'The signature of the deployment transaction that was given when the mint was bound.',
      }),
    ),
    deploymentStatus: Type.Optional(
      Type.String({
        description: 'The status from your deployment service that was given when the mint was bound.',
      }),
    ),
    disclosurePolicyId: Type.Optional(
      Type.String({
        description: 'The disclosure policy identifier that was given when the asset was registered.',
      }),
    ),
    confidentialMintBurnEnabled: Type.Boolean({
      description: 'Whether the mint supports confidential mint and burn.',
    }),
    status: oneOf(STATUSES, '`pending` until a mint is bound, then `active`.'),
    createdAt: timestamp('When the asset was registered.'),
    updatedAt: timestamp('When the asset last changed.'),
  }),
);

export const CreateAssetSchema = named(
  'CreateAsset',
  'A confidential asset to register.',
  Type.Object(
    {
      name: text(128, 'Display name.'),
      symbol: text(16, 'Ticker symbol.'),
      decimals: Type.Integer({
        minimum: 0,
        maximum: 255,
        description: 'The number of decimals of the mint.',
      }),
      workspaceId: Type.Optional(
        text(
          256,
          'A workspace identifier. If it is the foreignId of an application, the asset is assigned to that ' +
            'application.',
        ),
      ),
      creatorAuthority: Type.Optional(text(256, 'The ledger authority that creates or controls the mint.')),
      disclosurePolicyId: Type.Optional(
        text(
          256,
          'Id or key of a disclosure policy of your organization, which then decides disclosures. Any other text ' +
            'is stored and has no effect.',
        ),
      ),
      confidentialMintBurnEnabled: Type.Optional(
        Type.Boolean({
          description: 'Whether the mint will support confidential mint and burn.',
          default: false,
        }),
      ),
    },
    closed,
  ),
);

export const BindMintSchema = named(
  'BindMint',
  'A deployed mint to bind to an asset.',
  Type.Object(
    {
      mintAddress: text(64, 'Ledger address of the mint: base58 of 32 bytes.'),
      deploymentSignature: Type.Optional(
        text(
          256,
          'The signature of the deployment transaction. The gateway stores it and does not check it.',
        ),
      ),
      deploymentStatus: Type.Optional(
        text(256, 'A status from your deployment service. The gateway stores it and does not interpret it.'),
      ),
      observe: Type.Optional(
        Type.Boolean({
          description:
            'Whether to index the mint even while it has no auditor key, or one that is not yours.',
        }),
      ),
    },
    closed,
  ),
);

export const AssetParams = Type.Object({ id: identifier('ast', 'asset') }, closed);

export const IndexerStatusSchema = named(
  'IndexerStatus',
  'The indexing progress of the mint of an asset. The members about the newest record are absent while ' +
    'there are no records.',
  Type.Object({
    assetId: identifier('ast', 'asset'),
    mintAddress: Type.Optional(address('The bound mint')),
    registered: Type.Boolean({
      description:
        'Whether the ledger shows the mint with your auditor key. A mint without it is indexed only if it was ' +
        'bound with `observe`.',
    }),
    status: oneOf(
      STATUSES,
      'The status of the indexing: `pending` until the mint passes its check on the ledger, then `active`; ' +
        '`error` if there is a problem.',
    ),
    reason: Type.Optional(
      Type.String({
        description:
          'The problem of the indexing, such as `auditor_key_mismatch`. An observed mint can be `active` with this ' +
          'problem.',
      }),
    ),
    indexedCount: Type.Integer({ minimum: 0, description: 'The number of records that are available now.' }),
    latestSlot: Type.Optional(Type.Integer({ minimum: 0, description: 'Slot of the newest record.' })),
    latestBlockTime: Type.Optional(
      Type.Integer({ description: 'The block time of the newest record in Unix seconds.' }),
    ),
    latestSignature: Type.Optional(
      Type.String({ description: 'Transaction signature of the newest record.' }),
    ),
    lastIndexedAt: Type.Optional(timestamp('When the newest record was written.')),
  }),
);
