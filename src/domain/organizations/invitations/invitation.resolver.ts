import { COMPLEXITY_OF_LARGE_ROWS } from '../../../platform/kernel/paging/page-weight.js';
import { GraphQLJSONObject } from 'graphql-scalars';
import { relyingPartyOf } from '../passkeys/relying-party.js';
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireCookie } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { PageArguments } from '../../../platform/kernel/paging/page-arguments.type.js';
import { admit } from '../sign-in/admit.js';
import { ViewerType } from '../sessions/viewer.type.js';
import { acceptInvitation, proposeInvitationPasskey } from './accept-invitation.js';
import {
  AcceptInvitationInputType,
  InvitationConnection,
  InvitationType,
  InviteMemberInputType,
  IssuedInvitationType,
  ResetPasswordInput,
} from './invitation.type.js';
import { inviteMember } from './invite-member.js';
import { listInvitations } from './list-invitations.js';
import type { Door } from './mailer.js';
import { resetMemberSignIn } from './reset-member-sign-in.js';
import { requestPasswordReset, resetPassword } from './reset-password.js';
import { revokeInvitation } from './revoke-invitation.js';

@Resolver()
export class InvitationResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly door: Door,
  ) {}

  @Query(() => InvitationConnection, {
    complexity: COMPLEXITY_OF_LARGE_ROWS,
    description:
      'The invitations of the organization, newest first, including those that have ended. Needs the owner permission ' +
      '`members:manage`.',
  })
  invitations(@Args(() => PageArguments) page: PageArguments, @Ctx() context: RequestContext) {
    return listInvitations(this.foundation, context.principal, page);
  }

  @Mutation(() => IssuedInvitationType, {
    description:
      'Invites a person to become a member: a link that works once, for 72 hours. An earlier link for the same address ' +
      'becomes invalid. The address of a member is a CONFLICT. Needs the owner permission `members:manage`.',
  })
  inviteMember(
    @Arg('input', () => InviteMemberInputType, { description: 'The person.' }) input: InviteMemberInputType,
    @Ctx() context: RequestContext,
  ) {
    return inviteMember(this.foundation, this.door, context.principal, input);
  }

  @Mutation(() => IssuedInvitationType, {
    description:
      'Makes a link by which a member who cannot sign in anymore chooses a new password; the second factor ends with ' +
      'the old one. Needs the owner permission `members:manage`.',
  })
  resetMemberSignIn(
    @Arg('memberId', () => ID, { description: 'Id of the user (`usr_…`).' }) memberId: string,
    @Ctx() context: RequestContext,
  ) {
    return resetMemberSignIn(this.foundation, this.door, context.principal, memberId);
  }

  @Mutation(() => InvitationType, {
    description:
      'Makes the link of an invitation invalid. An invitation that was accepted is a CONFLICT. Needs the owner ' +
      'permission `members:manage`.',
  })
  revokeInvitation(
    @Arg('id', () => ID, { description: 'Id of the invitation (`inv_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return revokeInvitation(this.foundation, context.principal, id);
  }

  @Mutation(() => ViewerType, {
    description:
      'Accepts an invitation, opens a portal session and sets its cookie. Needs only the link. A link ' +
      'that was used, revoked, replaced or has expired is NOT_FOUND. Over HTTP only.',
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
      () => relyingPartyOf(this.door.origin()),
    );
    return admit(this.foundation, context, opened);
  }

  @Mutation(() => GraphQLJSONObject, {
    description:
      'What the browser needs to make a passkey for an invitation (`PublicKeyCredentialCreationOptionsJSON`). Needs ' +
      'the link only. NOT_FOUND as for `acceptInvitation`.',
  })
  proposeInvitationPasskey(
    @Arg('token', () => String, { description: 'The token: the part of the link after the #.' })
    token: string,
  ) {
    return proposeInvitationPasskey(this.foundation, this.door, token);
  }

  @Mutation(() => Boolean, {
    description:
      'Mails a link for a new password to an address, unless one was mailed in the last five minutes. Returns true whether ' +
      'or not there is an account. NOT_FOUND where no mail server is configured: an owner makes a link then ' +
      '(`resetMemberSignIn`).',
  })
  async requestPasswordReset(
    @Arg('email', () => String, { description: 'E-mail address.' }) email: string,
    @Ctx() context: RequestContext,
  ) {
    await requestPasswordReset(this.foundation, this.door, { email }, context.clientAddress);
    return true;
  }

  @Mutation(() => Boolean, {
    description:
      'Sets a new password by a link that was mailed, and ends all sessions of the account. Returns true. A link ' +
      'that was used or has expired is NOT_FOUND.',
  })
  async resetPassword(
    @Arg('input', () => ResetPasswordInput, { description: 'The link and the password.' })
    input: ResetPasswordInput,
    @Ctx() context: RequestContext,
  ) {
    const { deviceToken } = await resetPassword(this.foundation, input);
    context.deviceCookie?.set(deviceToken);
    return true;
  }
}
