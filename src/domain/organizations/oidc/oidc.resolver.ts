import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { Foundation } from '../../../platform/database/index.js';
import { type RequestContext, requireCookie } from '../../access/index.js';
import { admit } from '../sessions/admit.js';
import { ViewerType } from '../sessions/viewer.type.js';
import { completeOidcSignIn } from './complete-oidc-sign-in.js';
import type { OpenIdProvider } from './openid-provider.js';
import { startOidcSignIn } from './start-oidc-sign-in.js';

@ObjectType('OidcSignIn', { description: 'A sign-in that the identity provider confirmed.' })
class OidcSignInType {
  @Field(() => String, { description: 'The path of the portal that was passed to `startOidcSignIn`.' })
  returnTo!: string;

  @Field(() => ViewerType, { description: 'The user who is now signed in.' })
  viewer!: ViewerType;
}

@InputType('CompleteOidcSignInInput', {
  description: 'The parameters with which the identity provider redirected the browser.',
})
class CompleteOidcSignInInput {
  @Field(() => String, { description: 'The parameter `state`.' })
  state!: string;

  @Field(() => String, { nullable: true, description: 'The parameter `code`.' })
  code?: string | null;

  @Field(() => String, { nullable: true, description: 'The parameter `iss` (RFC 9207).' })
  iss?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The parameter `error`, which the provider sends instead of a code.',
  })
  error?: string | null;
}

@Resolver()
export class OidcResolver {
  constructor(
    private readonly foundation: Foundation,
    /** Absent if no provider is configured. */
    private readonly provider: OpenIdProvider | undefined,
  ) {}

  @Mutation(() => String, {
    description:
      'Starts a sign-in by OpenID Connect and returns the URL to open in the browser. Sets a cookie that ' +
      'binds the attempt to the browser for ten minutes. Fails with NOT_FOUND if no identity provider is ' +
      'configured, and with UNAVAILABLE while it cannot be reached. Over HTTP only.',
  })
  async startOidcSignIn(
    @Arg('returnTo', () => String, {
      nullable: true,
      description: 'The path of the portal to open after the sign-in. The default is `/`.',
    })
    returnTo: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.attemptCookie);
    const { url, sealedAttempt } = await startOidcSignIn(this.foundation, this.provider, returnTo);
    cookie.set(sealedAttempt);
    return url;
  }

  @Mutation(() => OidcSignInType, {
    description:
      'Completes a sign-in by OpenID Connect and opens a portal session. Every failure returns the same ' +
      'UNAUTHENTICATED error, except for the reason `second_factor_required`. Over HTTP only.',
  })
  async completeOidcSignIn(
    @Arg('input', () => CompleteOidcSignInInput, { description: 'The parameters of the redirect.' })
    input: CompleteOidcSignInInput,
    @Ctx() context: RequestContext,
  ) {
    const session = requireCookie(context.sessionCookie);
    const attempt = requireCookie(context.attemptCookie);
    const presented = { attempt: attempt.token, session: session.token };
    attempt.clear();
    const opened = await completeOidcSignIn(
      this.foundation,
      this.provider,
      { state: input.state, code: input.code, iss: input.iss, error: input.error },
      presented,
      context.clientAddress,
    );
    const viewer = await admit(this.foundation, context, opened);
    return { returnTo: opened.returnTo, viewer };
  }
}
