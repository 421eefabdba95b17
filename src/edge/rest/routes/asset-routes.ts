import { examples } from '../examples/examples.js';
import type { Route } from '../route.js';
import {
  AssetParams,
  AssetSchema,
  BindMintSchema,
  CreateAssetSchema,
  IndexerStatusSchema,
} from '../schemas/asset.js';

export const assetRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/assets',
    document: 'create-asset',
    needs: ['scope assets:write'],
    credentials: 'api_key',
    tag: 'Assets',
    summary: 'Register an asset',
    description:
      'Registers a confidential asset as `pending` and returns the auditor public key of your organization. ' +
      'Keep `id` and `auditorElGamalPubkey`: configure the deployed mint with the key, then bind the mint. ' +
      'Needs the scope `assets:write`.',
    body: { schema: CreateAssetSchema, as: 'input', examples: examples.createAsset },
    idempotent: true,
    argumentNames: { idempotencyKey: 'Idempotency-Key' },
    answer: {
      status: 201,
      description: 'The registered asset.',
      schema: AssetSchema,
      examples: examples.pendingAsset,
      take: (data: { createAsset: unknown }) => data.createAsset,
    },
    errors: {
      BAD_USER_INPUT: 'A member is missing, unknown or malformed.',
      CONFLICT: 'The Idempotency-Key was used with another request.',
    },
  },
  {
    method: 'GET',
    path: '/v1/assets/{id}',
    document: 'get-asset',
    needs: ['scope assets:read'],
    credentials: 'api_key',
    tag: 'Assets',
    summary: 'Read an asset',
    description: 'Returns an asset of your organization. Needs the scope `assets:read`.',
    params: AssetParams,
    answer: {
      status: 200,
      description: 'The asset.',
      schema: AssetSchema,
      examples: examples.asset,
      take: (data: { asset: unknown }) => data.asset,
    },
    errors: { NOT_FOUND: 'Your organization has no such asset.' },
  },
  {
    method: 'PATCH',
    path: '/v1/assets/{id}/mint',
    document: 'bind-mint',
    needs: ['scope assets:write'],
    credentials: 'api_key',
    tag: 'Assets',
    summary: 'Bind the deployed mint',
    description:
      'Binds a mint to the asset, which becomes `active`. Binding the same mint again changes nothing, except ' +
      'that `observe: true` turns observation on. The indexer then checks the mint on the ledger; the indexer ' +
      'status shows any problem. Needs the scope `assets:write`.',
    params: AssetParams,
    body: { schema: BindMintSchema, as: 'variables', examples: examples.bindMint },
    answer: {
      status: 200,
      description: 'The bound asset.',
      schema: AssetSchema,
      examples: examples.boundAsset,
      take: (data: { bindMint: unknown }) => data.bindMint,
    },
    errors: {
      BAD_USER_INPUT: 'mintAddress is not a base58 32-byte address, or a member is unknown.',
      NOT_FOUND: 'Your organization has no such asset.',
      CONFLICT:
        'The asset is bound to another mint, disabled or in error; or your organization bound the mint to another asset.',
    },
  },
  {
    method: 'GET',
    path: '/v1/assets/{id}/indexer-status',
    document: 'get-indexer-status',
    needs: ['scope assets:read'],
    credentials: 'api_key',
    tag: 'Assets',
    summary: 'Read how far the mint is indexed',
    description:
      'Returns whether the bound mint passed its check on the ledger, and how far it is indexed. Needs the ' +
      'scope `assets:read`.',
    params: AssetParams,
    answer: {
      status: 200,
      description: 'The indexer status.',
      schema: IndexerStatusSchema,
      examples: examples.indexerStatus,
      take: (data: { asset: { indexerStatus: unknown } }) => data.asset.indexerStatus,
    },
    errors: { NOT_FOUND: 'Your organization has no such asset.' },
  },
];
