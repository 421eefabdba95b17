import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Foundation } from '../../platform/database/index.js';
import { connectionOf } from '../../platform/kernel/paging/connection.type.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import { type Application, createApplicationOf, needsScope, type RequestContext } from '../access/index.js';
import { ApplicationType } from '../organizations/index.js';
import { assignAsset } from './assign-asset.js';
import type { Asset } from './asset.js';
import {
  AssetConnectionType,
  AssetType,
  AssignAssetInput,
  BindMintInput,
  CreateAssetInput,
  DisableAssetInput,
  IndexerStatusType,
  UnbindMintInput,
} from './asset.type.js';
import {
  AuditorKeyImportRecipientType,
  AuditorKeyRangeConnectionType,
  AuditorKeyRangeType,
  AuditorKeyType,
  ExportAuditorKeyInput,
  ExportedAuditorKeyType,
  ImportAuditorKeyInput,
  RotateAuditorKeyInput,
} from './auditor-keys/auditor-key.type.js';
import { exportAuditorKey } from './auditor-keys/export-auditor-key.js';
import {
  importEncryptedAuditorKey,
  prepareAuditorKeyImport,
} from './auditor-keys/import-encrypted-auditor-key.js';
import {
  auditorKeyCoverage,
  coverageCursor,
  createPresentKeyOf,
} from './auditor-keys/auditor-key-coverage.js';
import { bindMint } from './bind-mint.js';
import { createAsset } from './create-asset.js';
import { listAuditorKeys, showAuditorKey, type ShownAuditorKey } from './auditor-keys/list-auditor-keys.js';
import { disableAsset } from './disable-asset.js';
import { findAsset, listAssets } from './find-asset.js';
import { createIndexerStatusOf } from './indexer-status.js';
import { rotateAuditorKey } from './auditor-keys/rotate-auditor-key.js';
import { unbindMint } from './unbind-mint.js';

/** The assets of an application. */
@Resolver(() => ApplicationType)
export class ApplicationAssetsResolver {
  constructor(private readonly foundation: Foundation) {}

  @FieldResolver(() => AssetConnectionType, {
    description:
      'The assets that are assigned to the application, newest first. ' + needsScope('assets:read'),
  })
  assets(
    @Root() application: Application,
    @Args(() => PageArguments) input: PageArguments,
    @Ctx() context: RequestContext,
  ) {
    return listAssets(this.foundation, context.principal, input, application.id);
  }
}

@Resolver(() => AssetType)
export class AssetResolver {
  private readonly applicationOf;
  private readonly indexerStatusOf;
  private readonly presentKeyOf;

  constructor(
    private readonly foundation: Foundation,
    private readonly mayExportKeys = false,
  ) {
    this.applicationOf = createApplicationOf(foundation);
    this.indexerStatusOf = createIndexerStatusOf(foundation);
    this.presentKeyOf = createPresentKeyOf(foundation);
  }

  private readonly withExportable = <Key extends ShownAuditorKey>(key: Key) => ({
    ...key,
    exportable: this.mayExportKeys,
  });

  @FieldResolver()
  application(@Root() { organizationId, applicationId }: Asset) {
    return this.applicationOf(organizationId, applicationId);
  }

  @Query(() => AssetType, {
    description: 'An asset of your organization. ' + needsScope('assets:read'),
  })
  asset(
    @Arg('id', () => ID, { description: 'Id of the asset.' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return findAsset(this.foundation, context.principal, id);
  }

  @Query(() => AssetConnectionType, {
    description: 'The assets of your organization, newest first. ' + needsScope('assets:read'),
  })
  assets(@Args(() => PageArguments) input: PageArguments, @Ctx() context: RequestContext) {
    return listAssets(this.foundation, context.principal, input);
  }

  @FieldResolver(() => String, {
    description:
      'Where the secret of the auditor key is kept. Always `local`: encrypted in the database of this gateway.',
  })
  auditorKeyProvider() {
    return 'local';
  }

  @FieldResolver(() => IndexerStatusType, { description: 'The indexing progress of the mint.' })
  indexerStatus(@Root() asset: Asset, @Ctx() context: RequestContext) {
    return this.indexerStatusOf(context.principal, asset.id);
  }

  @FieldResolver(() => AuditorKeyRangeConnectionType, {
    description:
      'The auditor keys that the bound mint has had, oldest first, and whether your organization can read ' +
      'the amounts that each of them encrypted. ' +
      needsScope('assets:read'),
  })
  async auditorKeyCoverage(
    @Root() asset: Asset,
    @Args(() => PageArguments) input: PageArguments,
    @Ctx() context: RequestContext,
  ) {
    const page = await auditorKeyCoverage(this.foundation, context.principal, asset.id, input);
    return connectionOf(page, (range) => coverageCursor(asset.id, range));
  }

  @FieldResolver(() => AuditorKeyRangeType, {
    nullable: true,
    description:
      'The current auditor key of the bound mint, as far as the mint is indexed: the last range of ' +
      '`auditorKeyCoverage`. Null if no key has been indexed yet. ' +
      needsScope('assets:read'),
  })
  mintAuditorKey(@Root() asset: Asset, @Ctx() context: RequestContext) {
    return this.presentKeyOf(context.principal, asset.id);
  }

  @Query(() => [AuditorKeyType], {
    description: 'The auditor keys of your organization, newest first. ' + needsScope('assets:read'),
  })
  async auditorKeys(@Ctx() context: RequestContext) {
    return (await listAuditorKeys(this.foundation, context.principal)).map(this.withExportable);
  }

  @Mutation(() => AuditorKeyType, {
    description:
      'Creates the next auditor key of your organization. Every asset shows the new key at once; a mint ' +
      'has it only after its authority updates the mint on the ledger. Earlier keys are kept and decrypt ' +
      'what was encrypted to them. If the organization requires a second person, the rotation takes ' +
      'effect when another owner makes the same call. Needs the owner permission `policies:manage`.',
  })
  async rotateAuditorKey(
    @Arg('input', () => RotateAuditorKeyInput, { description: 'The reason.' }) input: RotateAuditorKeyInput,
    @Ctx() context: RequestContext,
  ) {
    const key = await rotateAuditorKey(this.foundation, context.principal, input);
    return this.withExportable(showAuditorKey(key));
  }

  @Mutation(() => AuditorKeyImportRecipientType, {
    description:
      'Returns an age recipient and a token for the import of an auditor key. Encrypt the keypair to the ' +
      'recipient, then pass the file and the token to `importAuditorKey`. Needs the owner permission ' +
      '`policies:manage`.',
  })
  prepareAuditorKeyImport(@Ctx() context: RequestContext) {
    return prepareAuditorKeyImport(this.foundation, context.principal);
  }

  @Mutation(() => AuditorKeyType, {
    description:
      'Imports an auditor key that was created elsewhere and encrypted to the recipient of ' +
      '`prepareAuditorKeyImport`. The key decrypts amounts that are encrypted to it; no asset uses it as ' +
      'its auditor key. If the organization requires a second person, the import takes effect when ' +
      'another owner imports the same key. Needs the owner permission `policies:manage`.',
  })
  async importAuditorKey(
    @Arg('input', () => ImportAuditorKeyInput, { description: 'The key and the reason.' })
    input: ImportAuditorKeyInput,
    @Ctx() context: RequestContext,
  ) {
    const key = await importEncryptedAuditorKey(this.foundation, context.principal, input);
    return this.withExportable(showAuditorKey(key));
  }

  @Mutation(() => ExportedAuditorKeyType, {
    description:
      'Exports an auditor key of your organization, encrypted to age recipients. Two owners must request ' +
      'the same key and recipients within 72 hours; the second one receives the file. Fails with ' +
      'FORBIDDEN unless the operator of the gateway allows exports. Anyone who has the keypair can read ' +
      'every amount that is encrypted to it, forever. Needs the owner permission `policies:manage`.',
  })
  async exportAuditorKey(
    @Arg('input', () => ExportAuditorKeyInput, { description: 'The key, the recipients and the reason.' })
    input: ExportAuditorKeyInput,
    @Ctx() context: RequestContext,
  ) {
    return this.withExportable(
      await exportAuditorKey(this.foundation, context.principal, this.mayExportKeys, input),
    );
  }

  @Mutation(() => AssetType, {
    description:
      'Registers a confidential asset and assigns it the auditor key of your organization. The asset is ' +
      '`pending` until a mint is bound. ' +
      needsScope('assets:write'),
  })
  createAsset(
    @Arg('input', () => CreateAssetInput, { description: 'The asset.' }) input: CreateAssetInput,
    @Ctx() context: RequestContext,
  ) {
    return createAsset(this.foundation, context.principal, input);
  }

  @Mutation(() => AssetType, {
    description:
      'Binds a deployed mint to an asset, which becomes `active`; the indexer then checks and indexes the ' +
      'mint. Binding does not reserve the mint: it is indexed for the organization whose auditor key the ' +
      'ledger shows. Binding the same mint again changes nothing, except that `observe: true` turns ' +
      'observation on. Fails with CONFLICT if another mint is bound to the asset. If the organization ' +
      'requires a second person and had the mint on an earlier asset, the new asset must have the same ' +
      'disclosure policy or none, and the same application or none; otherwise the call fails with ' +
      'CONFLICT. It also does if your organization had the mint on another asset, and an active case, a ' +
      'pending case request or a pending disclosure covers this one. ' +
      needsScope('assets:write'),
  })
  bindMint(
    @Arg('input', () => BindMintInput, { description: 'The asset and its mint.' }) input: BindMintInput,
    @Ctx() context: RequestContext,
  ) {
    return bindMint(this.foundation, context.principal, input);
  }

  @Mutation(() => AssetType, {
    description:
      'Unbinds a mint of which no record is indexed yet. The asset becomes `pending` again. Fails with ' +
      'CONFLICT while an active case, a pending case request or a pending disclosure covers the asset, ' +
      'because it would then show another mint: end, close, withdraw or decide it first. Needs the ' +
      'owner permission `applications:create`. If the organization requires a second person, it needs ' +
      'two: the first call fails with CONFLICT and the reason `second_person_required`.',
  })
  unbindMint(
    @Arg('input', () => UnbindMintInput, { description: 'The asset and the reason.' }) input: UnbindMintInput,
    @Ctx() context: RequestContext,
  ) {
    return unbindMint(this.foundation, context.principal, input);
  }

  @Mutation(() => AssetType, {
    description:
      'Disables an asset permanently. Its mint is no longer indexed; its records stay readable. Needs the ' +
      'owner permission `applications:create`.',
  })
  disableAsset(
    @Arg('input', () => DisableAssetInput, { description: 'The asset and the reason.' })
    input: DisableAssetInput,
    @Ctx() context: RequestContext,
  ) {
    return disableAsset(this.foundation, context.principal, input);
  }

  @Mutation(() => AssetType, {
    description:
      'Assigns an asset to one of your applications, or unassigns it. If the organization requires a ' +
      'second person, two people must assign an asset to an application: the first call fails with ' +
      'CONFLICT and the reason `second_person_required`. Needs the owner permission ' +
      '`applications:create`.',
  })
  assignAsset(
    @Arg('input', () => AssignAssetInput, { description: 'The asset and its application.' })
    input: AssignAssetInput,
    @Ctx() context: RequestContext,
  ) {
    return assignAsset(this.foundation, context.principal, input);
  }
}
