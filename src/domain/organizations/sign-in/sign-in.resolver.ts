import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { type RequestContext, requireCookie } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import type { PublicSite } from '../public-site.js';
import { relyingPartyOf } from '../passkeys/relying-party.js';
import { admit } from '../sessions/admit.js';
import { ViewerType } from '../sessions/viewer.type.js';
import { changePassword } from './change-password.js';
import { signIn } from './sign-in.js';
import { proposePasskeySignIn, signInWithPasskey } from './sign-in-with-passkey.js';
import { ChangePasswordInput, PasskeySignInInput, SignInInputType } from './sign-in.type.js';

@Resolver()
export class SignInResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly site: PublicSite,
  ) {}

  @Mutation(() => ViewerType, {
    description:
      'Opens a portal session and sets its cookie. Every failure returns the same UNAUTHENTICATED error. ' +
      'Too many attempts from one client, or too many failures for one account, return TOO_MANY_REQUESTS; ' +
      'browsers from which the account signed in before are counted separately. Over HTTP only.',
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
      () => relyingPartyOf(this.site.origin()),
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

  @Mutation(() => GraphQLJSONObject, {
    description:
      'Returns the options with which the browser signs in by a passkey ' +
      '(`PublicKeyCredentialRequestOptionsJSON`). They do not identify an account.',
  })
  proposePasskeySignIn() {
    return proposePasskeySignIn(this.foundation, this.site);
  }

  @Mutation(() => ViewerType, {
    description:
      'Opens a portal session with a passkey and sets its cookie. Every failure returns the same ' +
      'UNAUTHENTICATED error. Over HTTP only.',
  })
  async signInWithPasskey(
    @Arg('input', () => PasskeySignInInput, { description: 'The passkey.' }) input: PasskeySignInInput,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    const opened = await signInWithPasskey(
      this.foundation,
      this.site,
      input,
      context.clientAddress,
      cookie.token,
    );
    return admit(this.foundation, context, opened);
  }
}
