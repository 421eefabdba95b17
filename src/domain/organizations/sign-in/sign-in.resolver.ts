import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { type RequestContext, requireCookie } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import type { Door } from '../invitations/mailer.js';
import { relyingPartyOf } from '../passkeys/relying-party.js';
import { admit } from './admit.js';
import { ViewerType } from '../sessions/viewer.type.js';
import { changePassword } from './change-password.js';
import { disableTotp, enableTotp, proposeTotp } from './second-factor.js';
import { signIn } from './sign-in.js';
import {
  ChangePasswordInput,
  DisableTotpInput,
  EnableTotpInput,
  SignInInputType,
  TotpEnrolmentType,
} from './sign-in.type.js';

@Resolver()
export class SignInResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly door: Door,
  ) {}

  @Mutation(() => ViewerType, {
    description:
      'Opens a portal session and sets its cookie. Every failure returns the same UNAUTHENTICATED. Too many ' +
      'attempts from one client, or too many failures for one account, return TOO_MANY_REQUESTS; browsers from ' +
      'which the account signed in before are counted separately. Over HTTP only.',
  })
  async signIn(
    @Arg('input', () => SignInInputType, { description: 'The credentials.' }) input: SignInInputType,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    const opened = await signIn(
      this.foundation,
      input,
      context.clientAddress,
      cookie.token,
      context.deviceCookie?.token,
      () => relyingPartyOf(this.door.origin()),
    );
    return admit(this.foundation, context, opened);
  }

  @Mutation(() => Boolean, {
    description:
      'Changes your password and ends all your sessions, including this one. Needs a fresh second factor if ' +
      'you have one. Returns true. Over HTTP only.',
  })
  async changePassword(
    @Arg('input', () => ChangePasswordInput, { description: 'The current and the new password.' })
    input: ChangePasswordInput,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    await changePassword(this.foundation, context.principal, input, context.clientAddress);
    cookie.clear();
    return true;
  }

  @Mutation(() => TotpEnrolmentType, {
    description:
      'Returns a new secret for your authenticator (RFC 6238). It has no effect until you call `enableTotp`.',
  })
  proposeTotp(@Ctx() context: RequestContext) {
    return proposeTotp(this.foundation, context.principal);
  }

  @Mutation(() => Boolean, {
    description:
      'Adds an authenticator and ends all your sessions. From then on, each sign-in needs a code of the ' +
      'authenticator. Returns true. Over HTTP only.',
  })
  async enableTotp(
    @Arg('input', () => EnableTotpInput, { description: 'The authenticator.' }) input: EnableTotpInput,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    await enableTotp(this.foundation, context.principal, input, context.clientAddress);
    cookie.clear();
    return true;
  }

  @Mutation(() => Boolean, {
    description:
      'Removes your authenticator and ends all your sessions. Needs your password, if you have one, and a ' +
      'code. Returns true. Over HTTP only.',
  })
  async disableTotp(
    @Arg('input', () => DisableTotpInput, { description: 'Your password and a code of the authenticator.' })
    input: DisableTotpInput,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    await disableTotp(this.foundation, context.principal, input, context.clientAddress);
    cookie.clear();
    return true;
  }
}
