import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Args, Ctx, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { SignedCheckpoint } from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { base64 } from '../kernel/bytes.js';
import type { RequestContext } from '../organizations/index.js';
import {
  ActivityAddedType,
  ActivityConnection,
  ActivityFilterArgs,
  ActivityPageArgs,
  ErasedValuesType,
  LogCheckpointType,
  LogConsistencyProofType,
  LogInclusionProofType,
} from './auditors-log.type.js';
import { erasePersonalValues } from './erase-personal-values.js';
import { exportActivityLog } from './export-activity-log.js';
import { followActivity, type AddedActivity, type FollowActivityInput } from './follow-activity.js';
import { listActivity } from './list-activity.js';
import { readCheckpoint, readConsistencyProof, readInclusionProof } from './read-log.js';

@Resolver()
export class AuditorsLogResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => ActivityConnection, {
    description:
      'Completed actions, newest first. The organization’s need the owner permission `logs:view_activity`; those of ' +
      'an application `logs:view_activity` in its bucket `common`.',
  })
  activityLog(@Args(() => ActivityPageArgs) input: ActivityPageArgs, @Ctx() context: RequestContext) {
    return listActivity(this.foundation, context.principal, input);
  }

  @Query(() => LogCheckpointType, {
    description:
      'The newest checkpoint of the organization’s log. Needs the owner permission `logs:view_activity`.',
  })
  async logCheckpoint(@Ctx() context: RequestContext) {
    return shown(await readCheckpoint(this.foundation, context.principal));
  }

  @Query(() => String, {
    description:
      'The key of the organization’s log (C2SP verifier key): keep it, to check exports against it. Needs the owner ' +
      'permission `logs:view_activity`.',
  })
  async logVerifierKey(@Ctx() context: RequestContext) {
    return (await readCheckpoint(this.foundation, context.principal)).verifierKey;
  }

  @Query(() => LogInclusionProofType, {
    description:
      'The proof that an entry stands in the log, under the newest checkpoint. Needs the owner permission ' +
      '`logs:view_activity`.',
  })
  async logInclusionProof(
    @Arg('index', () => Int, { description: 'Index of the entry.' }) index: number,
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
    description:
      'The proof that the newest checkpoint continues an older one. Needs the owner permission `logs:view_activity`.',
  })
  async logConsistencyProof(
    @Arg('from', () => Int, { description: 'Size of the older checkpoint, at least 1.' }) from: number,
    @Ctx() context: RequestContext,
  ) {
    const { hashes, checkpoint } = await readConsistencyProof(this.foundation, context.principal, from);
    return { from, hashes: hashes.map(base64.encode), checkpoint: shown(checkpoint) };
  }

  @Mutation(() => GraphQLJSONObject, {
    description:
      'Exports a log with everything that proves it, as `lucarne log verify` reads it: `origin`, `verifier_key`, ' +
      '`checkpoint` and `entries`; at most 10,000 entries. The export is logged itself. Needs what `activityLog` needs.',
  })
  exportActivityLog(
    @Args(() => ActivityFilterArgs) input: ActivityFilterArgs,
    @Ctx() context: RequestContext,
  ) {
    return exportActivityLog(this.foundation, context.principal, input);
  }

  @Mutation(() => ErasedValuesType, {
    description:
      'Erases a former member’s names and addresses from the log for good; every proof stays valid. Needs the owner ' +
      'permission `members:manage`.',
  })
  erasePersonalValues(
    @Arg('userId', () => String, { description: 'Id of the user (`usr_…`), whose membership has ended.' })
    userId: string,
    @Ctx() context: RequestContext,
  ) {
    return erasePersonalValues(this.foundation, context.principal, userId);
  }
}

/** The subscription's resolver: type-graphql calls `subscribe` without an instance. */
export function activityAddedResolver(foundation: Foundation): object {
  @Resolver()
  class ActivityAddedResolver {
    @Subscription(() => ActivityAddedType, {
      description:
        'The entries of a log as they get their place in it, about a second after the action: behind `after`, or from ' +
        'now on. Nothing is lost or doubled when you subscribe again behind the last cursor. Ends with UNAUTHENTICATED ' +
        'once the session or what it permits has changed. Needs what `activityLog` needs.',
      subscribe: ({ args, context }: { args: FollowActivityInput; context: RequestContext }) =>
        followActivity(foundation, context.principal, args),
    })
    activityAdded(
      @Arg('application', () => String, {
        nullable: true,
        description: 'foreignId of an application: only its entries. Absent is the whole organization.',
      })
      _application: string | null | undefined,
      @Arg('after', () => String, { nullable: true, description: 'A cursor of this subscription.' })
      _after: string | null | undefined,
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
