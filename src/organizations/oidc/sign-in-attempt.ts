import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../crypto/index.js';
import type { Foundation } from '../../database/index.js';
import { badUserInput, isLucarneError, unauthenticated } from '../../kernel/errors.js';

/** What a browser that was sent to the provider must bring back, sealed in a cookie of its own. */
export interface SignInAttempt {
  /** Returned by the provider: the answer belongs to this browser's request (RFC 6749 section 10.12). */
  readonly state: string;
  /** Returned within the ID token: it was made for this request (OpenID Connect Core section 3.1.2.1). */
  readonly nonce: string;
  /** Proves to the provider that who asks for the token is who asked for the code (RFC 7636). */
  readonly codeVerifier: string;
  /** A path of the portal to go on at. */
  readonly returnTo: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

const ATTEMPT_MILLISECONDS = 10 * 60_000;
/** How far the clocks of instances and of the provider may be apart. */
export const CLOCK_TOLERANCE_SECONDS = 30;
/** How long it is remembered that an attempt was used: longer than any clock takes it. */
export const USED_ATTEMPT_MILLISECONDS = 2 * ATTEMPT_MILLISECONDS;

const SEALING_CONTEXT = 'cookies/sign_in_attempt';
const SECRET_BYTES = 32;
const LONGEST_COOKIE = 4_096;
const LONGEST_PATH = 512;

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

/** The attempt that the cookie holds, when it is ours, not over, and the one that `state` answers. */
export function openAttempt(
  { clock, sealer }: Foundation,
  cookie: string | undefined,
  state: string,
): SignInAttempt {
  const attempt = cookie === undefined ? undefined : unseal(sealer, cookie);
  const age = attempt && clock.now().getTime() - attempt.startedAt;
  const current = age !== undefined && age >= -CLOCK_TOLERANCE_SECONDS * 1000 && age < ATTEMPT_MILLISECONDS;
  if (!attempt || !current || !timingSafeEqual(sha256(attempt.state), sha256(state))) throw signInRefused();
  return attempt;
}

function unseal(sealer: Foundation['sealer'], cookie: string): SignInAttempt | undefined {
  if (cookie.length > LONGEST_COOKIE) return undefined;
  try {
    const bytes = sealer.open(Buffer.from(cookie, 'base64url'), SEALING_CONTEXT);
    // What opens under the master key was sealed by us, and is of our form.
    return JSON.parse(Buffer.from(bytes).toString()) as SignInAttempt;
  } catch (thrown) {
    if (isLucarneError(thrown)) return undefined;
    throw thrown;
  }
}

/** A path of this very site: never another host, whatever a browser makes of slashes, tabs and backslashes. */
export function parseReturnTo(value: string | null | undefined): string {
  const given = value ?? '/';
  const site = 'http://site.invalid';
  const url = given.startsWith('/') && URL.canParse(given, site) ? new URL(given, site) : undefined;
  // As a browser is sent there: percent-encoded, which the sealed cookie must hold.
  const path = url ? `${url.pathname}${url.search}${url.hash}` : '';
  if (
    url?.origin !== site ||
    path.length > LONGEST_PATH ||
    /^\/[/\\]/.test(given) ||
    /[\p{C}\\]/u.test(given) ||
    path.startsWith('//')
  ) {
    throw badUserInput('returnTo must be a path of the portal, such as /cases.');
  }
  return path;
}

/** One refusal for whatever was wrong: which it was would help only an attacker. */
export const signInRefused = () =>
  unauthenticated('The sign-in did not succeed. Begin it again.', { denial: { event: 'sign_in.refused' } });
