import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import type { Foundation } from '../database/index.js';
import { changePassword } from './change-password.js';
import { endMemberSessions } from './end-member-sessions.js';
import { listSessions } from './list-sessions.js';
import { TotpEnrolmentType, ViewerType } from './organization.type.js';
import { requireCookie, type RequestContext } from './request-context.js';
import { revokeOtherSessions } from './revoke-other-sessions.js';
import { revokeSession } from './revoke-session.js';
import { disableTotp, enableTotp, proposeTotp } from './second-factor.js';
import { SessionConnection } from './session.type.js';
import { signIn } from './sign-in.js';
import { signOut } from './sign-out.js';
import { findViewer, viewerOf } from './viewer.js';

@Resolver()
export class SessionResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => ViewerType, { description: 'Who calls, and what they hold. UNAUTHENTICATED for nobody.' })
  me(@Ctx() context: RequestContext) {
    return findViewer(this.foundation, context.principal);
  }

  @Query(() => SessionConnection, { description: 'Your own sessions that have not ended, newest first.' })
  sessions(
    @Arg('first', () => Int, { nullable: true, description: 'How many, 1 to 200; 50 when absent.' })
    first: number | null | undefined,
    @Arg('after', () => String, { nullable: true, description: 'The cursor of the last item seen.' })
    after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listSessions(this.foundation, context.principal, { first, after });
  }

  @Mutation(() => Boolean, {
    description: 'Ends one of your own sessions and its subscriptions; whether it was still open.',
  })
  revokeSession(
    @Arg('id', () => String, { description: 'Id of the session (`ses_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return revokeSession(this.foundation, context.principal, id);
  }

  @Mutation(() => Int, {
    description: 'Ends all your sessions but this one, and their subscriptions; how many there were.',
  })
  revokeOtherSessions(@Ctx() context: RequestContext) {
    return revokeOtherSessions(this.foundation, context.principal);
  }

  @Mutation(() => Int, {
    description:
      'Ends all sessions of a member, who may sign in again; how many there were. Needs the owner permission ' +
      '`members:manage`.',
  })
  endMemberSessions(
    @Arg('memberId', () => String, { description: 'Id of the user.' }) memberId: string,
    @Ctx() context: RequestContext,
  ) {
    return endMemberSessions(this.foundation, context.principal, memberId);
  }

  @Mutation(() => ViewerType, {
    description:
      'Opens a portal session and sets its cookie. Whatever was wrong is the same UNAUTHENTICATED; after five ' +
      'failures in a minute, TOO_MANY_REQUESTS. Over HTTP only.',
  })
  async signIn(
    @Arg('email', () => String, { description: 'E-mail address.' }) email: string,
    @Arg('password', () => String, { description: 'Password.' }) password: string,
    @Arg('totp', () => String, {
      nullable: true,
      description: 'The six digits of the authenticator, for an account that has one.',
    })
    totp: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    const input = { email, password, totp };
    const { token, principal } = await signIn(this.foundation, input, context.clientAddress, cookie.token);
    cookie.set(token);
    return viewerOf(principal);
  }

  @Mutation(() => Boolean, {
    description: 'Ends the session and its cookie; whether there was a session to end. Over HTTP only.',
  })
  async signOut(@Ctx() context: RequestContext) {
    const cookie = requireCookie(context.sessionCookie);
    const ended = await signOut(this.foundation, context.principal);
    cookie.clear();
    return ended;
  }

  @Mutation(() => Boolean, {
    description: 'Changes your password and ends all your sessions, this one too. True. Over HTTP only.',
  })
  async changePassword(
    @Arg('currentPassword', () => String, { description: 'The password until now.' })
    currentPassword: string,
    @Arg('newPassword', () => String, { description: 'At least 12 characters, at most 1024 bytes.' })
    newPassword: string,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    const input = { currentPassword, newPassword };
    await changePassword(this.foundation, context.principal, input, context.clientAddress);
    cookie.clear();
    return true;
  }

  @Mutation(() => TotpEnrolmentType, {
    description: 'A fresh secret for your authenticator (RFC 6238). It counts only after `enableTotp`.',
  })
  proposeTotp(@Ctx() context: RequestContext) {
    return proposeTotp(this.foundation, context.principal);
  }

  @Mutation(() => Boolean, {
    description:
      'Asks for a one-time code at each of your sign-ins, and ends all your sessions. Over HTTP only.',
  })
  async enableTotp(
    @Arg('password', () => String, { description: 'Your password.' }) password: string,
    @Arg('secret', () => String, { description: 'The secret that `proposeTotp` gave.' }) secret: string,
    @Arg('totp', () => String, { description: 'The code that the authenticator shows for it.' }) totp: string,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    const input = { password, secret, totp };
    await enableTotp(this.foundation, context.principal, input, context.clientAddress);
    cookie.clear();
    return true;
  }

  @Mutation(() => Boolean, {
    description: 'Asks for no one-time code any more, and ends all your sessions. Over HTTP only.',
  })
  async disableTotp(
    @Arg('password', () => String, { description: 'Your password.' }) password: string,
    @Arg('totp', () => String, { description: 'The code that the authenticator shows.' }) totp: string,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    await disableTotp(this.foundation, context.principal, { password, totp }, context.clientAddress);
    cookie.clear();
    return true;
  }
}
