import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { invalidMember, isLucarneError, unauthenticated } from '../../../platform/kernel/errors.js';

/** The attempt that a browser must return, sealed in its own cookie. */
export interface SignInAttempt {
  /** The provider returns it, so the answer belongs to this browser's request (RFC 6749 section 10.12). */
  readonly state: string;
  /** The ID token returns it, so the token was created for this request (OpenID Connect Core section 3.1.2.1). */
  readonly nonce: string;
  /** Proves to the provider that the same party requests the token and the code (RFC 7636). */
  readonly codeVerifier: string;
  /** The path of the portal to open afterwards. */
  readonly returnTo: string;
  /** Unix time in milliseconds. */
  readonly startedAt: number;
}

const ATTEMPT_LIFETIME_MS = 10 * 60_000;
/** Maximum difference between the clocks of instances and of the provider. */
export const CLOCK_TOLERANCE_SECONDS = 30;

const SEALING_CONTEXT = 'cookies/sign_in_attempt';
const SECRET_BYTES = 32;
const MAX_COOKIE_LENGTH = 4_096;
const MAX_PATH_LENGTH = 512;

export function newAttempt({ clock, random }: Foundation, returnTo: string): SignInAttempt {
  const secret = () => Buffer.from(random(SECRET_BYTES)).toString('base64url');
  return {
    state: secret(),
    nonce: secret(),
    codeVerifier: secret(),
    returnTo,
    startedAt: clock.now().getTime(),
  };
}

export function sealAttempt({ sealer }: Foundation, attempt: SignInAttempt): string {
  const sealed = sealer.seal(Buffer.from(JSON.stringify(attempt)), SEALING_CONTEXT);
  return Buffer.from(sealed).toString('base64url');
}

/** The attempt in the cookie, if this gateway created it, it has not expired, and it belongs to `state`. */
export function openAttempt(
  { clock, sealer }: Foundation,
  cookie: string | undefined,
  state: string,
): SignInAttempt {
  const attempt = cookie === undefined ? undefined : unseal(sealer, cookie);
  const age = attempt && clock.now().getTime() - attempt.startedAt;
  const current = age !== undefined && age >= -CLOCK_TOLERANCE_SECONDS * 1000 && age < ATTEMPT_LIFETIME_MS;
  if (!attempt || !current || !timingSafeEqual(sha256(attempt.state), sha256(state))) throw signInRefused();
  return attempt;
}

function unseal(sealer: Foundation['sealer'], cookie: string): SignInAttempt | undefined {
  if (cookie.length > MAX_COOKIE_LENGTH) return undefined;
  try {
    const bytes = sealer.open(Buffer.from(cookie, 'base64url'), SEALING_CONTEXT);
    // A value that opens under this key was sealed by the gateway, so it has this shape.
    return JSON.parse(Buffer.from(bytes).toString()) as SignInAttempt;
  } catch (thrown) {
    if (isLucarneError(thrown)) return undefined;
    throw thrown;
  }
}

/** A path of this site. It never leads to another host, however a browser treats slashes, tabs and backslashes. */
export function parseReturnTo(value: string | null | undefined): string {
  const path = value ?? '/';
  const site = 'http://site.invalid';
  const url = path.startsWith('/') && URL.canParse(path, site) ? new URL(path, site) : undefined;
  // The percent-encoded form, in which a browser opens it and which the sealed cookie must hold.
  const encoded = url ? `${url.pathname}${url.search}${url.hash}` : '';
  if (
    url?.origin !== site ||
    encoded.length > MAX_PATH_LENGTH ||
    /^\/[/\\]/.test(path) ||
    /[\p{C}\\]/u.test(path) ||
    encoded.startsWith('//')
  ) {
    throw invalidMember('returnTo', 'must be a path of the portal, such as /cases');
  }
  return encoded;
}

/** All causes have the same error: a reason would only help an attacker. */
export const signInRefused = () =>
  unauthenticated('The sign-in failed. Start again.', { denial: { event: 'sign_in.refused' } });
