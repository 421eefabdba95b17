import type { Foundation } from '../../../platform/database/index.js';
import { LucarneError } from '../../../platform/kernel/errors.js';
import type { OpenIdProvider } from './openid-provider.js';
import { newAttempt, parseReturnTo, sealAttempt } from './sign-in-attempt.js';

/** The URL at which the browser signs in, and the attempt that it must return in a cookie. */
export async function startOidcSignIn(
  foundation: Foundation,
  provider: OpenIdProvider | undefined,
  returnTo: string | null | undefined,
): Promise<{ readonly url: string; readonly sealedAttempt: string }> {
  const configured = requireProvider(provider);
  const attempt = newAttempt(foundation, parseReturnTo(returnTo));
  return {
    url: await configured.authorizationUrl(attempt),
    sealedAttempt: sealAttempt(foundation, attempt),
  };
}

export function requireProvider(provider: OpenIdProvider | undefined): OpenIdProvider {
  if (!provider) throw new LucarneError('NOT_FOUND', 'Sign-in by OpenID Connect is not configured.');
  return provider;
}
