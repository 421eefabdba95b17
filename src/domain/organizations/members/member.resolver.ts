import { COMPLEXITY_OF_LARGE_ROWS } from '../../../platform/kernel/paging/page-weight.js';
import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { BUCKETS, PERMISSIONS, type RequestContext, requirePrincipal } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { PageArguments } from '../../../platform/kernel/paging/page-arguments.type.js';
import { endMemberSessions } from './end-member-sessions.js';
import { confirmPermissionGrant, listPendingGrants } from './confirm-permission-grant.js';
import { erasePersonalValues } from './erase-personal-values.js';
import { listMembers, showMember } from './list-members.js';
import {
  ErasedValuesType,
  MemberConnection,
  MemberType,
  PendingPermissionGrantConnection,
  PermissionBucketType,
  SetPermissionsInput,
} from './member.type.js';
import { removeMember } from './remove-member.js';
import { setPermissions } from './set-permissions.js';

@Resolver()
export class MemberResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => [PermissionBucketType], {
    description: 'All permissions that can be granted, by bucket. Needs credentials.',
  })
  permissionTable(@Ctx() context: RequestContext) {
    requirePrincipal(context.principal);
    return BUCKETS.map((name) => ({ name, permissions: PERMISSIONS[name] }));
  }

  @Query(() => MemberConnection, {
    complexity: COMPLEXITY_OF_LARGE_ROWS,
    description: 'The members of the organization. Needs the owner permission `members:manage`.',
  })
  members(@Args(() => PageArguments) page: PageArguments, @Ctx() context: RequestContext) {
    return listMembers(this.foundation, context.principal, page);
  }

  @Query(() => MemberType, {
    description: 'A member of the organization. Needs the owner permission `members:manage`.',
  })
  member(
    @Arg('id', () => ID, { description: 'Id of the user (`usr_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return showMember(this.foundation, context.principal, id);
  }

  @Mutation(() => MemberType, {
    description:
      'Permanently ends a membership with its permissions and sessions. Returns the member as it was. ' +
      'Fails with CONFLICT for the last member who holds `members:manage`. Needs the owner permission ' +
      '`members:manage`.',
  })
  removeMember(
    @Arg('memberId', () => ID, { description: 'Id of the user (`usr_…`).' }) memberId: string,
    @Ctx() context: RequestContext,
  ) {
    return removeMember(this.foundation, context.principal, memberId);
  }

  @Mutation(() => MemberType, {
    description:
      'Replaces all permissions of a member. The member’s next request uses the new ones. Fails with ' +
      'CONFLICT if no member would hold `members:manage`. Needs the owner permission `members:manage`.',
  })
  setPermissions(
    @Arg('input', () => SetPermissionsInput, { description: 'The member and the permissions.' })
    input: SetPermissionsInput,
    @Ctx() context: RequestContext,
  ) {
    return setPermissions(this.foundation, context.principal, input);
  }

  @Query(() => PendingPermissionGrantConnection, {
    description:
      'The deciding permissions that were granted and that a second owner has not confirmed yet, oldest first. ' +
      'Needs the owner permission `members:manage`.',
  })
  pendingPermissionGrants(@Args(() => PageArguments) page: PageArguments, @Ctx() context: RequestContext) {
    return listPendingGrants(this.foundation, context.principal, page);
  }

  @Mutation(() => MemberType, {
    description:
      'Confirms a deciding permission that another owner granted to a member other than you. The permission ' +
      'takes effect at once. Needs the owner permission `members:manage`.',
  })
  confirmPermissionGrant(
    @Arg('id', () => ID, { description: 'Id of the pending grant (`grt_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return confirmPermissionGrant(this.foundation, context.principal, id);
  }

  @Mutation(() => Int, {
    description:
      'Ends all sessions of a member, who can sign in again. Returns the number of ended sessions. Needs the ' +
      'owner permission `members:manage`.',
  })
  endMemberSessions(
    @Arg('memberId', () => ID, { description: 'Id of the user (`usr_…`).' }) memberId: string,
    @Ctx() context: RequestContext,
  ) {
    return endMemberSessions(this.foundation, context.principal, memberId);
  }

  @Mutation(() => ErasedValuesType, {
    description:
      'Permanently erases the names and e-mail addresses of a former member from the log (whose proofs stay ' +
      'valid), from cases, requests, report listings and disclosures, and from security events. If the ' +
      'organization requires a second person, it takes effect when another owner makes the same call. Needs the ' +
      'owner permission `members:manage`, and a fresh second factor if you have one.',
  })
  erasePersonalValues(
    @Arg('userId', () => ID, { description: 'Id of the user whose membership has ended (`usr_…`).' })
    userId: string,
    @Ctx() context: RequestContext,
  ) {
    return erasePersonalValues(this.foundation, context.principal, userId);
  }
}
