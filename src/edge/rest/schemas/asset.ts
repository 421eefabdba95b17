import { Type } from 'typebox';
import { address, closed, identifier, named, oneOf, text, timestamp } from './common.js';

const STATUSES = ['pending', 'active', 'error', 'disabled'];

export const AssetSchema = named(
  'Asset',
  'A confidential asset. Members that were not given, and those of the mint before it is bound, are absent.',
  Type.Object({
    id: identifier('ast', 'asset'),
    workspaceId: Type.Optional(Type.String({ description: 'The workspace identifier given at creation.' })),
    name: Type.String({ description: 'Display name.' }),
    symbol: Type.String({ description: 'Ticker symbol.' }),
    decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'Decimals of the mint.' }),
    creatorAuthority: Type.Optional(
      Type.String({ description: 'Ledger authority that creates or controls the mint.' }),
    ),
    auditorElGamalPubkey: Type.String({
      description: 'The auditor ElGamal public key to configure the mint with: standard base64 of 32 bytes.',
    }),
    auditorKeyProvider: Type.String({
      description:
        'Where the auditor secret key is kept: `local`, encrypted in the database of this gateway.',
    }),
    mintAddress: Type.Optional(address('The bound mint')),
    deploymentSignature: Type.Optional(
      Type.String({ description: 'The deployment transaction, as given at binding.' }),
    ),
    deploymentStatus: Type.Optional(
      Type.String({ description: 'Status of your deployment service, as given at binding.' }),
    ),
    disclosurePolicyId: Type.Optional(
      Type.String({ description: 'The policy identifier given at creation.' }),
    ),
    confidentialMintBurnEnabled: Type.Boolean({
      description: 'Whether confidential mint and burn are supported.',
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
      decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'Decimals of the mint.' }),
      workspaceId: Type.Optional(
        text(
          256,
          'A workspace identifier. The foreignId of one of your applications links the asset to that application.',
        ),
      ),
      creatorAuthority: Type.Optional(text(256, 'Ledger authority that creates or controls the mint.')),
      disclosurePolicyId: Type.Optional(
        text(
          256,
          'Id or key of a disclosure policy of your organization, which then decides disclosures; any other text is ' +
            'kept as it is.',
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
  'The deployed mint of an asset.',
  Type.Object(
    {
      mintAddress: text(64, 'Ledger address of the mint: base58 of 32 bytes.'),
      deploymentSignature: Type.Optional(text(256, 'The deployment transaction.')),
      deploymentStatus: Type.Optional(text(256, 'A status of your deployment service; any text.')),
      observe: Type.Optional(
        Type.Boolean({
          description: 'Index the mint also while it has no auditor key, or one that is not yours.',
        }),
      ),
    },
    closed,
  ),
);

export const AssetParams = Type.Object({ id: identifier('ast', 'asset') }, closed);

export const IndexerStatusSchema = named(
  'IndexerStatus',
  'How far the mint of an asset is indexed. The members about the newest record are there once a record is.',
  Type.Object({
    assetId: identifier('ast', 'asset'),
    mintAddress: Type.Optional(address('The bound mint')),
    registered: Type.Boolean({
      description:
        'Whether the mint has your auditor key on the ledger. A mint without it is indexed only if it was bound with `observe`.',
    }),
    status: oneOf(
      STATUSES,
      '`pending` while the mint is not registered yet or its check is tried again, `active` once it is followed, ' +
        '`error` when it is wrong.',
    ),
    reason: Type.Optional(
      Type.String({
        description:
          'Why it is not active, such as `auditor_key_mismatch`; an observed mint is active with that reason.',
      }),
    ),
    indexedCount: Type.Integer({ minimum: 0, description: 'Records that are available now.' }),
    latestSlot: Type.Optional(Type.Integer({ minimum: 0, description: 'Slot of the newest record.' })),
    latestBlockTime: Type.Optional(
      Type.Integer({ description: 'Block time of the newest record, Unix seconds.' }),
    ),
    latestSignature: Type.Optional(
      Type.String({ description: 'Transaction signature of the newest record.' }),
    ),
    lastIndexedAt: Type.Optional(timestamp('When the newest record was written.')),
  }),
);
