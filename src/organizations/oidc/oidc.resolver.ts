import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { Foundation } from '../../database/index.js';
import { ViewerType } from '../organization.type.js';
import { requireCookie, type RequestContext } from '../request-context.js';
import { viewerOf } from '../viewer.js';
import { completeOidcSignIn } from './complete-oidc-sign-in.js';
import type { OpenIdProvider } from './openid-provider.js';
import { startOidcSignIn } from './start-oidc-sign-in.js';

@ObjectType('OidcSignIn', { description: 'A sign-in that an OpenID provider vouched for.' })
class OidcSignInType {
  @Field(() => String, { description: 'The path of the portal that `startOidcSignIn` was told to go on at.' })
  returnTo!: string;

  @Field(() => ViewerType, { description: 'Who is signed in now.' })
  viewer!: ViewerType;
}

const OPTIONAL = { nullable: true } as const;

@Resolver()
export class OidcResolver {
  constructor(
    private readonly foundation: Foundation,
    /** Absent where none is configured. */
    private readonly provider: OpenIdProvider | undefined,
  ) {}

  @Mutation(() => String, {
    description:
      'Begins a sign-in by OpenID Connect: the URL to send the browser to. Sets a cookie that binds the attempt to ' +
      'the browser for ten minutes. NOT_FOUND where no provider is configured, UNAVAILABLE while it is out of reach. ' +
      'Over HTTP only.',
  })
  async startOidcSignIn(
    @Arg('returnTo', () => String, {
      ...OPTIONAL,
      description: 'A path of the portal to go on at; `/` when absent.',
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
      'Ends a sign-in by OpenID Connect with what the provider sent the browser back with, and opens a portal session. ' +
      'Whatever was wrong is the same UNAUTHENTICATED, but for the reason `second_factor_required`. Over HTTP only.',
  })
  async completeOidcSignIn(
    @Arg('state', () => String, { description: 'The parameter `state`.' }) state: string,
    @Arg('code', () => String, { ...OPTIONAL, description: 'The parameter `code`.' })
    code: string | null | undefined,
    @Arg('iss', () => String, { ...OPTIONAL, description: 'The parameter `iss` (RFC 9207).' })
    iss: string | null | undefined,
    @Arg('error', () => String, {
      ...OPTIONAL,
      description: 'The parameter `error`, which the provider sends in place of a code.',
    })
    error: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    const session = requireCookie(context.sessionCookie);
    const attempt = requireCookie(context.attemptCookie);
    const presented = { attempt: attempt.token, session: session.token };
    attempt.clear();
    const { token, principal, returnTo } = await completeOidcSignIn(
      this.foundation,
      this.provider,
      { state, code, iss, error },
      presented,
      context.clientAddress,
    );
    session.set(token);
    return { returnTo, viewer: viewerOf(principal) };
  }
}
