import { COMPLEXITY_OF_LARGE_ROWS } from '../../../platform/kernel/paging/page-weight.js';
import { GraphQLJSONObject } from 'graphql-scalars';
import { relyingPartyOf } from '../passkeys/relying-party.js';
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireCookie } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { PageArguments } from '../../../platform/kernel/paging/page-arguments.type.js';
import { admit } from '../sessions/admit.js';
import { ViewerType } from '../sessions/viewer.type.js';
import { acceptInvitation, proposeInvitationPasskey } from './accept-invitation.js';
import {
  AcceptInvitationInputType,
  InvitationConnection,
  InvitationType,
  InviteMemberInputType,
  IssuedInvitationType,
  OpenInvitationType,
  ResetPasswordInput,
} from './invitation.type.js';
import { inviteMember } from './invite-member.js';
import { listInvitations } from './list-invitations.js';
import type { PublicSite } from '../public-site.js';
import { resetMemberSignIn } from './reset-member-sign-in.js';
import { requestPasswordReset, resetPassword } from './reset-password.js';
import { revokeInvitation } from './revoke-invitation.js';
import { showInvitation } from './show-invitation.js';

@Resolver()
export class InvitationResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly site: PublicSite,
  ) {}

  @Query(() => InvitationConnection, {
    complexity: COMPLEXITY_OF_LARGE_ROWS,
    description:
      'The invitations of the organization, newest first, including accepted, revoked and expired ones. Needs ' +
      'the owner permission `members:manage`.',
  })
  invitations(@Args(() => PageArguments) page: PageArguments, @Ctx() context: RequestContext) {
    return listInvitations(this.foundation, context.principal, page);
  }

  @Mutation(() => IssuedInvitationType, {
    description:
      'Invites a person to become a member, by a link that works once and expires after 72 hours. An ' +
      'earlier link for the same address becomes invalid. Fails with CONFLICT if the address belongs to a ' +
      'member. Needs the owner permission `members:manage`.',
  })
  inviteMember(
    @Arg('input', () => InviteMemberInputType, { description: 'The person.' }) input: InviteMemberInputType,
    @Ctx() context: RequestContext,
  ) {
    return inviteMember(this.foundation, this.site, context.principal, input);
  }

  @Mutation(() => IssuedInvitationType, {
    description:
      'Creates an invitation link for a member who can no longer sign in. With it, the member chooses a new ' +
      'password or passkey for a new account, which replaces the old account in your organization. The ' +
      'sessions of the member end, and the second factor of the old account is not needed anymore. Needs the ' +
      'owner permission `members:manage`.',
  })
  resetMemberSignIn(
    @Arg('memberId', () => ID, { description: 'Id of the user (`usr_…`).' }) memberId: string,
    @Ctx() context: RequestContext,
  ) {
    return resetMemberSignIn(this.foundation, this.site, context.principal, memberId);
  }

  @Mutation(() => InvitationType, {
    description:
      'Revokes the link of an invitation. Fails with CONFLICT if the invitation was accepted. Needs the ' +
      'owner permission `members:manage`.',
  })
  revokeInvitation(
    @Arg('id', () => ID, { description: 'Id of the invitation (`inv_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return revokeInvitation(this.foundation, context.principal, id);
  }

  @Query(() => OpenInvitationType, {
    nullable: true,
    description:
      'The invitation of a link, as its holder sees it. The link is the only credential needed. Fails ' +
      'with NOT_FOUND in the same cases as `acceptInvitation`.',
  })
  openInvitation(
    @Arg('token', () => String, { description: 'The token: the part of the link after the `#`.' })
    token: string,
  ) {
    return showInvitation(this.foundation, token);
  }

  @Mutation(() => ViewerType, {
    description:
      'Accepts an invitation, opens a portal session and sets its cookie. The link is the only credential ' +
      'needed. Fails with NOT_FOUND if the link was used, revoked or replaced, or has expired. Over HTTP ' +
      'only.',
  })
  async acceptInvitation(
    @Arg('input', () => AcceptInvitationInputType, { description: 'The invitation.' })
    input: AcceptInvitationInputType,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    const opened = await acceptInvitation(
      this.foundation,
      input,
      context.principal,
      context.clientAddress,
      cookie.token,
      () => relyingPartyOf(this.site.origin()),
    );
    return admit(this.foundation, context, opened);
  }

  @Mutation(() => GraphQLJSONObject, {
    description:
      'Returns the options with which the browser creates a passkey for an invitation ' +
      '(`PublicKeyCredentialCreationOptionsJSON`). The link is the only credential needed. Fails with ' +
      'NOT_FOUND in the same cases as `acceptInvitation`.',
  })
  proposeInvitationPasskey(
    @Arg('token', () => String, { description: 'The token: the part of the link after the `#`.' })
    token: string,
  ) {
    return proposeInvitationPasskey(this.foundation, this.site, token);
  }

  @Mutation(() => Boolean, {
    description:
      'Mails a link for setting a new password, unless one was mailed to the address in the last five ' +
      'minutes. Always returns true, so that callers cannot find out whether an account exists. Fails ' +
      'with NOT_FOUND if no mail server is configured; an owner can then create a link with ' +
      '`resetMemberSignIn`.',
  })
  async requestPasswordReset(
    @Arg('email', () => String, { description: 'The e-mail address of the account.' }) email: string,
    @Ctx() context: RequestContext,
  ) {
    await requestPasswordReset(this.foundation, this.site, { email }, context.clientAddress);
    return true;
  }

  @Mutation(() => Boolean, {
    description:
      'Sets a new password with a mailed link, and ends all sessions of the account. Returns true. Fails ' +
      'with NOT_FOUND if the link was used or has expired.',
  })
  async resetPassword(
    @Arg('input', () => ResetPasswordInput, { description: 'The token of the link and the new password.' })
    input: ResetPasswordInput,
    @Ctx() context: RequestContext,
  ) {
    const { deviceToken } = await resetPassword(this.foundation, input);
    context.deviceCookie?.set(deviceToken);
    return true;
  }
}
