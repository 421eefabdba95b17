import { Arg, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Foundation } from '../database/index.js';
import { connectionOf } from '../kernel/connection.type.js';
import type { RequestContext } from '../organizations/index.js';
import { assignAsset } from './assign-asset.js';
import type { Asset } from './asset.js';
import { AssetConnectionType, AssetType, CreateAssetInput, IndexerStatusType } from './asset.type.js';
import { bindMint } from './bind-mint.js';
import { createAsset } from './create-asset.js';
import { assetCursors, findAsset, listAssets } from './find-asset.js';
import { indexerStatus } from './indexer-status.js';

@Resolver(() => AssetType)
export class AssetResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => AssetType, { description: 'An asset of your organization. Needs `assets:read`.' })
  asset(
    @Arg('id', () => String, { description: 'Id of the asset.' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return findAsset(this.foundation, context.principal, id);
  }

  @Query(() => AssetConnectionType, {
    description: 'The assets of your organization, newest first. Needs `assets:read`.',
  })
  async assets(
    @Arg('first', () => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
    first: number | null | undefined,
    @Arg('after', () => String, { nullable: true, description: 'The `endCursor` of the page before.' })
    after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    const page = await listAssets(this.foundation, context.principal, { first, after });
    return connectionOf(page, (asset: Asset) => assetCursors.encode(asset.id));
  }

  @FieldResolver(() => String, {
    description: 'Who keeps the auditor secret: `local`, sealed in this gateway’s database.',
  })
  auditorKeyProvider() {
    return 'local';
  }

  @FieldResolver(() => IndexerStatusType, { description: 'How far the mint is indexed.' })
  indexerStatus(@Root() asset: Asset, @Ctx() context: RequestContext) {
    return indexerStatus(this.foundation, context.principal, asset.id);
  }

  @Mutation(() => AssetType, {
    description:
      'Registers a confidential asset, `pending` until a mint is bound, and assigns it the auditor key of your ' +
      'organization. Needs `assets:write`.',
  })
  createAsset(
    @Arg('input', () => CreateAssetInput, { description: 'The asset.' }) input: CreateAssetInput,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      description:
        'Your own key for this call: with the same input it answers as the first time, for 24 hours.',
    })
    idempotencyKey: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return createAsset(this.foundation, context.principal, input, idempotencyKey);
  }

  @Mutation(() => AssetType, {
    description:
      'Binds a deployed mint, which makes the asset `active` and hands the mint to the indexer. The same mint again ' +
      'changes nothing; another one is a CONFLICT. Needs `assets:write`.',
  })
  bindMint(
    @Arg('assetId', () => String, { description: 'Id of the asset.' }) assetId: string,
    @Arg('mintAddress', () => String, { description: 'Ledger address of the mint (base58).' })
    mintAddress: string,
    @Arg('deploymentSignature', () => String, { nullable: true, description: 'The deployment transaction.' })
    deploymentSignature: string | null | undefined,
    @Arg('deploymentStatus', () => String, {
      nullable: true,
      description: 'A status of your deployment service.',
    })
    deploymentStatus: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    const input = { assetId, mintAddress, deploymentSignature, deploymentStatus };
    return bindMint(this.foundation, context.principal, input);
  }

  @Mutation(() => AssetType, {
    description:
      'Links an asset to one of your applications, or to none. Needs the owner permission `applications:create`.',
  })
  assignAsset(
    @Arg('assetId', () => String, { description: 'Id of the asset.' }) assetId: string,
    @Arg('foreignId', () => String, {
      nullable: true,
      description: 'foreignId of the application; null unlinks.',
    })
    foreignId: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return assignAsset(this.foundation, context.principal, { assetId, foreignId: foreignId ?? null });
  }
}
