import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { IDEMPOTENCY_KEY } from '../../platform/database/index.js';
import { connectionType } from '../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../platform/kernel/enums/enum.type.js';
import { ApplicationType } from '../organizations/index.js';
import type { AssetStatus } from './asset-state.js';

const AssetStatusEnum = graphqlEnum<AssetStatus>(
  'AssetStatus',
  'The status of an asset, or of the indexing of its mint.',
  {
    pending:
      'For an asset: no mint is bound yet. For indexing: the mint has not passed its check on the ledger yet, ' +
      'and the indexer keeps trying.',
    active:
      'For an asset: a mint is bound. For indexing: the mint passed its check on the ledger and is being ' +
      'indexed.',
    error: 'Indexing has a problem, which `reason` of the indexer status names.',
    disabled: 'The asset or the indexing is disabled permanently.',
  },
);

@ObjectType('IndexerStatus', { description: 'The indexing progress of the mint of an asset.' })
export class IndexerStatusType {
  @Field(() => ID, { description: 'Id of the asset.' })
  assetId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The address of the bound mint (base58). Null until a mint is bound.',
  })
  mintAddress!: string | null;

  @Field(() => Boolean, {
    description:
      'Whether the ledger shows the mint with your auditor key. A mint without it is indexed only if it was ' +
      'bound with `observe`.',
  })
  registered!: boolean;

  @Field(() => AssetStatusEnum, { description: 'The status of the indexing.' })
  status!: AssetStatus;

  @Field(() => String, {
    nullable: true,
    description:
      'The problem of the indexing, such as `mint_not_found`, `auditor_key_mismatch` or `history_gap`. Null if ' +
      'there is none. An observed mint is `active` with `auditor_key_mismatch` while its new amounts are ' +
      'encrypted to a key that is not yours, or to none.',
  })
  reason!: string | null;

  @Field(() => GraphQLSafeInt, { description: 'The number of records that are available now.' })
  indexedCount!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The slot of the newest record. Null if there are no records.',
  })
  latestSlot!: number | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The block time of the newest record in Unix seconds. Null if it is unknown or there are no records.',
  })
  latestBlockTime!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The transaction signature of the newest record. Null if there are no records.',
  })
  latestSignature!: string | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the newest record was written. Null if there are no records.',
  })
  lastIndexedAt!: Date | null;
}

@ObjectType('Asset', { description: 'A confidential asset: a Token-2022 mint whose amounts are encrypted.' })
export class AssetType {
  @Field(() => ID, { description: 'Id of the asset (`ast_…`).' })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The workspace identifier, as passed to `createAsset`.',
  })
  workspaceId!: string | null;

  @Field(() => ApplicationType, {
    nullable: true,
    description: 'The application that the asset is assigned to. Null if it is assigned to none.',
  })
  application!: ApplicationType | null;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => String, { description: 'Ticker symbol.' })
  symbol!: string;

  @Field(() => Int, {
    description:
      'The number of decimals of the mint. To display an amount, divide its base units by 10 to this power.',
  })
  decimals!: number;

  @Field(() => String, {
    nullable: true,
    description: 'The ledger authority that creates or controls the mint.',
  })
  creatorAuthority!: string | null;

  @Field(() => String, {
    description: 'The auditor ElGamal public key to configure the mint with: standard base64 of 32 bytes.',
  })
  auditorElGamalPubkey!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The address of the bound mint (base58). Null until a mint is bound.',
  })
  mintAddress!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The signature of the deployment transaction, as passed to `bindMint`.',
  })
  deploymentSignature!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The deployment status, as passed to `bindMint`.',
  })
  deploymentStatus!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The id or key of the disclosure policy that decides about the asset’s disclosures. An identifier that ' +
      'names no policy of the organization has no effect.',
  })
  disclosurePolicyId!: string | null;

  @Field(() => Boolean, { description: 'Whether the mint supports confidential mint and burn.' })
  confidentialMintBurnEnabled!: boolean;

  @Field(() => AssetStatusEnum, { description: 'The status of the asset: `pending` until a mint is bound.' })
  status!: AssetStatus;

  @Field(() => GraphQLDateTimeISO, { description: 'When the asset was registered.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When the asset last changed.' })
  updatedAt!: Date;
}

@ObjectType('CaseAsset', {
  description: 'An asset of an application, as shown to its auditors and administrators.',
  simpleResolvers: true,
})
export class CaseAssetType {
  @Field(() => ID, { description: 'Id of the asset (`ast_…`).' })
  id!: string;

  @Field(() => String, { description: 'The display name of the asset.' })
  name!: string;

  @Field(() => String, { description: 'The ticker symbol of the asset.' })
  symbol!: string;

  @Field(() => Int, { description: 'The number of decimals of the asset.' })
  decimals!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'The address of the bound mint (base58), which distinguishes assets of the same name. Null until a mint is bound.',
  })
  mintAddress!: string | null;
}

@InputType({ description: 'A confidential asset to register.' })
export class CreateAssetInput {
  @Field(() => String, { description: 'Display name, 1 to 128 characters.' })
  name!: string;

  @Field(() => String, { description: 'Ticker symbol, 1 to 16 characters.' })
  symbol!: string;

  @Field(() => Int, { description: 'The number of decimals of the mint, 0 to 255.' })
  decimals!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'A workspace identifier. If it is the foreignId of an application, the asset is assigned to that ' +
      'application.',
  })
  workspaceId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The ledger authority that creates or controls the mint.',
  })
  creatorAuthority?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Id or key of a disclosure policy of the organization, which then decides disclosures. Any other text is ' +
      'stored and has no effect.',
  })
  disclosurePolicyId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the mint will support confidential mint and burn. The default is false.',
  })
  confidentialMintBurnEnabled?: boolean | null;

  @Field(() => String, { nullable: true, description: IDEMPOTENCY_KEY })
  idempotencyKey?: string | null;
}

@InputType({ description: 'A deployed mint to bind to an asset.' })
export class BindMintInput {
  @Field(() => ID, { description: 'Id of the asset.' })
  assetId!: string;

  @Field(() => String, { description: 'The ledger address of the mint (base58).' })
  mintAddress!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The signature of the deployment transaction, 1 to 256 characters. The gateway stores it and does not ' +
      'check it.',
  })
  deploymentSignature?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'A status from your deployment service, 1 to 256 characters. The gateway stores it and does not ' +
      'interpret it.',
  })
  deploymentStatus?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to index the mint even while it has no auditor key, or one that is not yours. Accounts, public ' +
      'amounts and ciphertexts are indexed then; you cannot read the encrypted amounts. To turn it on later, ' +
      'bind the same mint again with `true`. It cannot be turned off.',
  })
  observe?: boolean | null;
}

@InputType({ description: 'An asset and the application to assign it to.' })
export class AssignAssetInput {
  @Field(() => ID, { description: 'Id of the asset.' })
  assetId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The foreignId of the application. Null unassigns the asset.',
  })
  foreignId?: string | null;
}

@InputType({ description: 'An asset whose mint is to be unbound.' })
export class UnbindMintInput {
  @Field(() => ID, { description: 'Id of the asset.' })
  assetId!: string;

  @Field(() => String, { description: 'The reason, 1 to 2000 characters.' })
  reason!: string;
}

@InputType({ description: 'An asset to disable.' })
export class DisableAssetInput extends UnbindMintInput {}

export const AssetConnectionType = connectionType('Asset', () => AssetType);
