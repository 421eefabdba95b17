import { COMPLEXITY_OF_LARGE_ROWS } from '../../platform/kernel/paging/page-weight.js';
import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Arg,
  Args,
  Ctx,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import type { SignedCheckpoint } from './sequencing/checkpoints.js';
import type { Foundation } from '../../platform/database/index.js';
import { base64 } from '../../platform/kernel/encoding/bytes.js';
import { canonicalJson } from '../../platform/kernel/encoding/json.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import type { PageInput } from '../../platform/kernel/paging/paging.js';
import type { RequestContext } from '../access/index.js';
import {
  ActivityAddedType,
  ActivityConnection,
  ActivityEntryType,
  ActivityFilterArguments,
  ExportActivityLogInputType,
  FollowActivityArguments,
  LogActorConnection,
  LogCheckpointType,
  LogConsistencyProofType,
  LogExportPartArguments,
  LogExportPartType,
  LogExportType,
  LoggedEntryType,
  LogInclusionProofType,
  LogKeyChangeType,
  LogSigningKeyType,
} from './activity-log.type.js';
import { LogExporter, MAX_EXPORTED_ENTRIES } from './exporting/export-activity-log.js';
import { startLogExport } from './exporting/start-log-export.js';
import { type AddedActivity, followActivity } from './reading/follow-activity.js';
import { findEntry } from './reading/find-entry.js';
import { type ActivityPage, listActivity, type ListActivityInput } from './reading/list-activity.js';
import { keyChangesOf } from './reading/key-changes.js';
import { listSigningKeys } from './reading/log-signing-keys.js';
import { listLogActors } from './reading/list-log-actors.js';
import type { ProvenEntry } from './reading/prove-page.js';
import { readCheckpoint, readConsistencyProof, readInclusionProof } from './reading/read-log.js';

const ANY_READER =
  'Needs permission to read at least one log of the organization: `logs:view_activity`, as an owner or in ' +
  'a bucket `common`, or `reports:view_transactions` in a bucket `auditor`.';

/** The complexity of an export: so high that a document can have only one. */
const ONE_IN_A_DOCUMENT = MAX_EXPORTED_ENTRIES + 1;

@Resolver(() => ActivityConnection)
export class ActivityLogResolver {
  private readonly exporter: LogExporter;

  constructor(private readonly foundation: Foundation) {
    this.exporter = new LogExporter(foundation);
  }

  @Query(() => ActivityConnection, {
    complexity: COMPLEXITY_OF_LARGE_ROWS,
    description:
      'Completed actions, newest first. Actions of the organization need the owner permission ' +
      '`logs:view_activity`; actions of an application need `logs:view_activity` in its bucket `common`.',
  })
  activityLog(
    @Args(() => ActivityFilterArguments) filters: ListActivityInput,
    @Args(() => PageArguments) page: PageInput,
    @Ctx() context: RequestContext,
  ) {
    return listActivity(this.foundation, context.principal, { ...filters, ...page });
  }

  @Query(() => ActivityEntryType, {
    description:
      'One entry, by its id or by its index. Needs the same permissions as `activityLog`: with the owner ' +
      'permission `logs:view_activity`, any entry of the organization; otherwise an entry of an ' +
      'application where you hold `logs:view_activity`. Fails with NOT_FOUND for an entry that you may ' +
      'not read.',
  })
  activityEntry(
    @Arg('id', () => ID, {
      nullable: true,
      description: 'Id of the entry (`log_…`). Not together with `index`.',
    })
    id: string | null | undefined,
    @Arg('index', () => Int, {
      nullable: true,
      description: 'The index of the entry in the organization’s log, from 0.',
    })
    index: number | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return findEntry(this.foundation, context.principal, { id, index });
  }

  @FieldResolver()
  async checkpoint(@Root() page: ActivityPage) {
    const checkpoint = await page.checkpoint;
    return checkpoint && shown(checkpoint);
  }

  @Query(() => LogActorConnection, {
    description: 'All actors of a log, sorted by id. Needs the same permissions as `activityLog`.',
  })
  logActors(
    @Arg('foreignId', () => String, {
      nullable: true,
      description: 'The foreignId of an application. By default the log of the organization.',
    })
    foreignId: string | null | undefined,
    @Args(() => PageArguments) page: PageInput,
    @Ctx() context: RequestContext,
  ) {
    return listLogActors(this.foundation, context.principal, { foreignId, ...page });
  }

  @Query(() => LogCheckpointType, {
    description: `The newest checkpoint of the organization’s log. ${ANY_READER}`,
  })
  async logCheckpoint(@Ctx() context: RequestContext) {
    return shown(await readCheckpoint(this.foundation, context.principal));
  }

  @Query(() => String, {
    description: `The verifier key of the organization’s log (C2SP). Keep it, to verify exports. ${ANY_READER}`,
  })
  async logVerifierKey(@Ctx() context: RequestContext) {
    return (await readCheckpoint(this.foundation, context.principal)).verifierKey;
  }

  @Query(() => [LogSigningKeyType], {
    description: `The current and earlier keys that sign the organization’s log, newest first. ${ANY_READER}`,
  })
  logSigningKeys(@Ctx() context: RequestContext) {
    return listSigningKeys(this.foundation, context.principal);
  }

  @Query(() => LogInclusionProofType, {
    description:
      'A proof that an entry is in the log, for the newest checkpoint. Needs the owner permission ' +
      '`logs:view_activity`.',
  })
  async logInclusionProof(
    @Arg('index', () => Int, { description: 'The index of the entry, from 0.' }) index: number,
    @Ctx() context: RequestContext,
  ) {
    const { hashes, checkpoint, ...proof } = await readInclusionProof(
      this.foundation,
      context.principal,
      index,
    );
    return { ...proof, hashes: hashes.map(base64.encode), checkpoint: shown(checkpoint) };
  }

  @Query(() => LogConsistencyProofType, {
    description: `A proof that a checkpoint extends an older one. ${ANY_READER}`,
  })
  async logConsistencyProof(
    @Arg('from', () => Int, { description: 'The size of the older checkpoint, at least 1.' }) from: number,
    @Arg('to', () => Int, {
      nullable: true,
      description:
        'The size of the newer checkpoint, such as the checkpoint of a page. The default is the newest ' +
        'checkpoint.',
    })
    to: number | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    const { hashes, checkpoint } = await readConsistencyProof(this.foundation, context.principal, from, to);
    return { from, hashes: hashes.map(base64.encode), checkpoint: shown(checkpoint) };
  }

  @Mutation(() => LogExportType, {
    description:
      'Starts an export of a log of any length, in the format that `lucarne log verify` reads. It covers the ' +
      'newest checkpoint, and is logged once. Read the file with `logExportPart`, in parts. Needs the same ' +
      'permissions as `activityLog`.',
  })
  async startLogExport(
    @Arg('input', () => ExportActivityLogInputType, { description: 'The entries to export.' })
    input: ExportActivityLogInputType,
    @Ctx() context: RequestContext,
  ) {
    const { checkpoint, cursor } = await startLogExport(this.foundation, context.principal, input);
    return { checkpoint: shown(checkpoint), cursor };
  }

  @Query(() => LogExportPartType, {
    complexity: ONE_IN_A_DOCUMENT,
    description:
      'The next part of an export that you started in the last 24 hours, with the same filters. A part that ' +
      'fails can be read again. Needs the same permissions as `activityLog`.',
  })
  logExportPart(
    @Args(() => LogExportPartArguments) input: LogExportPartArguments,
    @Ctx() context: RequestContext,
  ) {
    return this.exporter.part(context, input);
  }

  @Mutation(() => GraphQLJSONObject, {
    complexity: ONE_IN_A_DOCUMENT,
    description:
      'Exports a log with its proofs, in the format that `lucarne log verify` reads: `origin`, `verifier_key`, ' +
      '`checkpoint`, `key_changes` and `entries`. An export has at most 10,000 entries, and is logged. For a ' +
      'longer log, see `startLogExport`. Needs the same permissions as `activityLog`.',
  })
  exportActivityLog(
    @Arg('input', () => ExportActivityLogInputType, { description: 'The entries to export.' })
    input: ExportActivityLogInputType,
    @Ctx() context: RequestContext,
  ) {
    return this.exporter.export(context, input);
  }
}

@Resolver(() => LoggedEntryType)
export class LoggedEntryResolver {
  @FieldResolver(() => LogCheckpointType, {
    description: 'The checkpoint to whose root `inclusion` leads. It is the same for all entries of a page.',
  })
  checkpoint(@Root() { checkpoint }: ProvenEntry) {
    return shown(checkpoint);
  }
}

@Resolver(() => LogCheckpointType)
export class LogCheckpointResolver {
  constructor(private readonly foundation: Foundation) {}

  @FieldResolver(() => [LogKeyChangeType], {
    description:
      'The changes of signing keys that the checkpoint covers, oldest first. They form a chain from any ' +
      'earlier key to the key that signed the checkpoint.',
  })
  async keyChanges(@Root() checkpoint: SignedCheckpoint) {
    const { database } = this.foundation;
    const changes = await keyChangesOf(database, checkpoint.organizationId, checkpoint);
    return changes.map(({ index, entry, proof }) => ({
      index,
      entry: canonicalJson(entry),
      inclusion: proof,
    }));
  }
}

/** The class is made around the foundation because type-graphql calls `subscribe` without an instance. */
export function activityAddedResolver(foundation: Foundation): object {
  @Resolver()
  class ActivityAddedResolver {
    @Subscription(() => ActivityAddedType, {
      description:
        'Sends the entries of a log when they are sequenced, about a second after the action, from the cursor ' +
        '`after` or from now on. To continue without gaps or repeats, subscribe again with the last cursor. Ends ' +
        'with UNAUTHENTICATED when the session ends or its permissions change. Needs the same permissions as ' +
        '`activityLog`.',
      subscribe: ({ args, context }: { args: FollowActivityArguments; context: RequestContext }) =>
        followActivity(foundation, context.principal, args),
    })
    activityAdded(
      @Args(() => FollowActivityArguments) _input: FollowActivityArguments,
      @Root() added: AddedActivity,
    ): AddedActivity {
      return added;
    }
  }
  return new ActivityAddedResolver();
}

const shown = ({ root, ...checkpoint }: SignedCheckpoint) => ({
  ...checkpoint,
  rootHash: base64.encode(root),
});
