import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../platform/kernel/enums/enum.type.js';
import { ApplicationType } from '../organizations/index.js';
import type { AssetStatus } from './asset-state.js';

const AssetStatusEnum = graphqlEnum<AssetStatus>(
  'AssetStatus',
  'The state of an asset, or of the indexing of its mint.',
  {
    pending:
      'Asset: no mint is bound yet. Indexing: the mint is not registered yet; the indexer keeps trying.',
    active: 'Asset: a mint is bound. Indexing: the mint passed its check on the ledger and is followed.',
    error: 'Needs attention: see `reason` of the indexer status.',
    disabled: 'Disabled permanently.',
  },
);

@ObjectType('IndexerStatus', { description: 'How far the mint of an asset is indexed.' })
export class IndexerStatusType {
  @Field(() => ID, { description: 'Id of the asset.' })
  assetId!: string;

  @Field(() => String, { nullable: true, description: 'The bound mint (base58).' })
  mintAddress!: string | null;

  @Field(() => Boolean, {
    description:
      'Whether the mint has your auditor key on the ledger. A mint without it is indexed only if it was bound with `observe`.',
  })
  registered!: boolean;

  @Field(() => AssetStatusEnum, { description: 'The state of the indexing.' })
  status!: AssetStatus;

  @Field(() => String, {
    nullable: true,
    description:
      'Why it is not active, such as `mint_not_found`, `auditor_key_mismatch` or `history_gap`. An observed mint is active ' +
      'with `auditor_key_mismatch` while its new amounts are encrypted to a key that is not yours, or to none.',
  })
  reason!: string | null;

  @Field(() => GraphQLSafeInt, { description: 'Number of records that are available now.' })
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
  @Field(() => ID, { description: 'Id of the asset (`ast_…`).' })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The workspace identifier, as passed to `createAsset`.',
  })
  workspaceId!: string | null;

  @Field(() => ApplicationType, {
    nullable: true,
    description: 'The application it is assigned to. Null: none.',
  })
  application!: ApplicationType | null;

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

  @Field(() => String, {
    nullable: true,
    description: 'The deployment transaction, as passed to `bindMint`.',
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
      'Id or key of the disclosure policy that decides, when the organization has it; otherwise an identifier of ' +
      'your own.',
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

@ObjectType('CaseAsset', {
  description: 'An asset of an application, as shown to its auditors and administrators.',
  simpleResolvers: true,
})
export class CaseAssetType {
  @Field(() => ID, { description: 'Id (`ast_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => String, { description: 'Ticker symbol.' })
  symbol!: string;

  @Field(() => Int, { description: 'Decimals of its base unit.' })
  decimals!: number;
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

  @Field(() => String, {
    nullable: true,
    description:
      'Your own key for this call, 1 to 255 printable ASCII characters. For 24 hours, a repeat with the same input returns the ' +
      'first answer, and one with another input is a CONFLICT.',
  })
  idempotencyKey?: string | null;
}

@InputType({ description: 'The deployed mint of an asset.' })
export class BindMintInput {
  @Field(() => ID, { description: 'Id of the asset.' })
  assetId!: string;

  @Field(() => String, { description: 'Ledger address of the mint (base58).' })
  mintAddress!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The deployment transaction, 1 to 256 characters.',
  })
  deploymentSignature?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A status of your deployment service, 1 to 256 characters.',
  })
  deploymentStatus?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Index the mint also while it has no auditor key, or one that is not yours: accounts, public amounts and ciphertexts, ' +
      'whose amounts you cannot read. Binding the same mint again with `true` turns it on; nothing turns it off.',
  })
  observe?: boolean | null;
}

@InputType({ description: 'The application that an asset belongs to.' })
export class AssignAssetInput {
  @Field(() => ID, { description: 'Id of the asset.' })
  assetId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The foreignId of the application. Null unlinks the asset.',
  })
  foreignId?: string | null;
}

@InputType({ description: 'A binding to undo.' })
export class UnbindMintInput {
  @Field(() => ID, { description: 'Id of the asset.' })
  assetId!: string;

  @Field(() => String, { description: 'The reason, 1 to 2000 characters.' })
  reason!: string;
}

@InputType({ description: 'An asset to take out of use.' })
export class DisableAssetInput {
  @Field(() => ID, { description: 'Id of the asset.' })
  assetId!: string;

  @Field(() => String, { description: 'The reason, 1 to 2000 characters.' })
  reason!: string;
}

export const AssetConnectionType = connectionType('Asset', () => AssetType);
