import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireCookie, requireSignedIn } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { PageArguments } from '../../../platform/kernel/paging/page-arguments.type.js';
import { OrganizationType } from '../organization.type.js';
import { listSessions } from './list-sessions.js';
import { revokeOtherSessions } from './revoke-other-sessions.js';
import { revokeSession } from './revoke-session.js';
import { SessionConnection } from './session.type.js';
import { signOut } from './sign-out.js';
import { organizationsOfAccount, switchOrganization } from './switch-organization.js';
import { admit } from './admit.js';
import { findViewer } from './viewer.js';
import { ViewerType } from './viewer.type.js';

@Resolver()
export class SessionResolver {
  constructor(private readonly foundation: Foundation) {}

  // Nullable, so that an ended session does not remove the answers to public fields of the query.
  @Query(() => ViewerType, {
    nullable: true,
    description:
      'The caller, with its organization and permissions. Fails with UNAUTHENTICATED without credentials.',
  })
  me(@Ctx() context: RequestContext) {
    return findViewer(this.foundation, context.principal);
  }

  @Query(() => ViewerType, {
    nullable: true,
    description:
      'The caller, as in `me`, but null if there are no credentials or the session has ended. Use it to find ' +
      'out whether someone is signed in.',
  })
  viewer(@Ctx() context: RequestContext) {
    return context.principal ? findViewer(this.foundation, context.principal) : null;
  }

  @Query(() => [OrganizationType], {
    description: 'The organizations of which your account is a member: see `switchOrganization`.',
  })
  organizations(@Ctx() context: RequestContext) {
    const { accountId } = requireSignedIn(context.principal);
    return organizationsOfAccount(this.foundation.database, accountId);
  }

  @Mutation(() => ViewerType, {
    description:
      'Ends this session and opens one in another organization of which your account is a member. Over HTTP ' +
      'only.',
  })
  async switchOrganization(
    @Arg('organizationId', () => ID, { description: 'Id of the organization (`org_…`).' })
    organizationId: string,
    @Ctx() context: RequestContext,
  ) {
    requireCookie(context.sessionCookie);
    const opened = await switchOrganization(
      this.foundation,
      context.principal,
      organizationId,
      context.clientAddress,
    );
    return admit(this.foundation, context, opened);
  }

  @Query(() => SessionConnection, { description: 'Your sessions that have not ended, newest first.' })
  sessions(@Args(() => PageArguments) page: PageArguments, @Ctx() context: RequestContext) {
    return listSessions(this.foundation, context.principal, page);
  }

  @Mutation(() => Boolean, {
    description:
      'Ends one of your sessions and its subscriptions. Returns whether the session was still open.',
  })
  revokeSession(
    @Arg('id', () => ID, { description: 'Id of the session (`ses_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return revokeSession(this.foundation, context.principal, id);
  }

  @Mutation(() => Int, {
    description:
      'Ends all your sessions except this one, in every organization where you are a member, and their subscriptions. ' +
      'Returns the number of ended sessions.',
  })
  revokeOtherSessions(@Ctx() context: RequestContext) {
    return revokeOtherSessions(this.foundation, context.principal);
  }

  @Mutation(() => Boolean, {
    description:
      'Ends the session and clears its cookie. Returns whether there was a session. Over HTTP only.',
  })
  async signOut(@Ctx() context: RequestContext) {
    const cookie = requireCookie(context.sessionCookie);
    const ended = await signOut(this.foundation, context.principal);
    cookie.clear();
    return ended;
  }
}
