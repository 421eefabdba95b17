import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../kernel/connection.type.js';
import { ASSET_STATUSES, type AssetStatus } from './asset-state.js';

export const AssetStatusEnum = Object.fromEntries(ASSET_STATUSES.map((status) => [status, status]));
registerEnumType(AssetStatusEnum, {
  name: 'AssetStatus',
  description: 'Where an asset, or the indexing of its mint, stands.',
  valuesConfig: {
    pending: {
      description: 'No mint is bound yet; of an indexer: the mint is not registered yet, and is tried again.',
    },
    active: { description: 'A mint is bound; of an indexer: the mint was found right and is followed.' },
    error: { description: 'Something needs a person: `reason` of the indexer status says what.' },
    disabled: { description: 'Taken out of use.' },
  },
});

@ObjectType('IndexerStatus', { description: 'How far the mint of an asset is indexed.' })
export class IndexerStatusType {
  @Field(() => String, { description: 'The asset.' })
  assetId!: string;

  @Field(() => String, { nullable: true, description: 'The bound mint (base58).' })
  mintAddress!: string | null;

  @Field(() => Boolean, { description: 'Whether the mint was found right on the ledger and is followed.' })
  registered!: boolean;

  @Field(() => AssetStatusEnum, { description: 'Where the indexing stands.' })
  status!: AssetStatus;

  @Field(() => String, {
    nullable: true,
    description: 'Why it is not active, such as `mint_not_found`, `auditor_key_mismatch` or `history_gap`.',
  })
  reason!: string | null;

  @Field(() => GraphQLSafeInt, { description: 'Records that are available now.' })
  indexedCount!: number;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Slot of the newest record.' })
  latestSlot!: number | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Block time of the newest record, Unix seconds.',
  })
  latestBlockTime!: number | null;

  @Field(() => String, { nullable: true, description: 'Transaction signature of the newest record.' })
  latestSignature!: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When the newest record was written.' })
  lastIndexedAt!: Date | null;
}

@ObjectType('Asset', { description: 'A confidential asset: a Token-2022 mint whose amounts are encrypted.' })
export class AssetType {
  @Field(() => String, { description: 'Id of the asset (`ast_…`).' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'Workspace identifier given at creation.' })
  workspaceId!: string | null;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => String, { description: 'Ticker symbol.' })
  symbol!: string;

  @Field(() => Int, {
    description: 'Decimals of the mint: an amount is base units divided by 10 to this power.',
  })
  decimals!: number;

  @Field(() => String, { nullable: true, description: 'Ledger authority that creates or controls the mint.' })
  creatorAuthority!: string | null;

  @Field(() => String, {
    description: 'The auditor ElGamal public key to configure the mint with: standard base64 of 32 bytes.',
  })
  auditorElGamalPubkey!: string;

  @Field(() => String, { nullable: true, description: 'The bound mint (base58).' })
  mintAddress!: string | null;

  @Field(() => String, { nullable: true, description: 'Deployment transaction as given at binding.' })
  deploymentSignature!: string | null;

  @Field(() => String, { nullable: true, description: 'Deployment status as given at binding.' })
  deploymentStatus!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The policy that decides disclosures when it names one of the organization; kept as it is otherwise.',
  })
  disclosurePolicyId!: string | null;

  @Field(() => Boolean, { description: 'Whether the mint supports confidential mint and burn.' })
  confidentialMintBurnEnabled!: boolean;

  @Field(() => AssetStatusEnum, { description: '`pending` until a mint is bound.' })
  status!: AssetStatus;

  @Field(() => GraphQLDateTimeISO, { description: 'When the asset was registered.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When the asset last changed.' })
  updatedAt!: Date;
}

@InputType({ description: 'A confidential asset to register.' })
export class CreateAssetInput {
  @Field(() => String, { description: 'Display name, 1 to 128 characters.' })
  name!: string;

  @Field(() => String, { description: 'Ticker symbol, 1 to 16 characters.' })
  symbol!: string;

  @Field(() => Int, { description: 'Decimals of the mint, 0 to 255.' })
  decimals!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'A workspace identifier. The foreignId of an application links the asset to that application.',
  })
  workspaceId?: string | null;

  @Field(() => String, { nullable: true, description: 'Ledger authority that creates or controls the mint.' })
  creatorAuthority?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Id or key of a disclosure policy of the organization, or an identifier of your own.',
  })
  disclosurePolicyId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the mint will support confidential mint and burn.',
  })
  confidentialMintBurnEnabled?: boolean | null;
}

export const AssetConnectionType = connectionType('Asset', () => AssetType);
