import { isDeepStrictEqual } from 'node:util';
import { badUserInput, type LucarneError, unauthenticated } from '../../platform/kernel/errors.js';
import type { Principal } from './principal.js';

/** The context of a request for resolvers. It is the same for GraphQL over HTTP, over a WebSocket, and for a REST route. */
export interface RequestContext {
  /** The caller; `undefined` without credentials. */
  readonly principal: Principal | undefined;
  /** Reads the caller again: the credentials may end while a request waits or runs. Absent for callers without any. */
  readonly callerNow?: (() => Promise<Principal | undefined>) | undefined;
  readonly requestId: string;
  /** The client's address, as trusted proxies report it. */
  readonly clientAddress: string;
  /** The `User-Agent` of the client, at most 256 characters. */
  readonly userAgent?: string | undefined;
  /** Sets or clears the session cookie of the answer. Absent over a WebSocket, where answers have no headers. */
  readonly sessionCookie?: SessionCookie;
  /** Sets or clears the cookie that binds a sign-in by OpenID Connect to its browser. */
  readonly attemptCookie?: SessionCookie;
  /** Sets the cookie that identifies a browser that signed in before. It grants nothing. */
  readonly deviceCookie?: SessionCookie;
  /** Reports the failure of `operation` to the security log, which ignores errors that are not denials. */
  readonly refused?: (error: LucarneError | undefined, operation: string) => void;
}

/** The request with its caller as of now. */
export async function withCallerNow(context: RequestContext): Promise<RequestContext> {
  const { principal, callerNow } = context;
  return principal && callerNow ? { ...context, principal: await callerNow() } : context;
}

/** @throws `UNAUTHENTICATED` if the credentials, or their permissions, have changed since the request began. */
export async function requireUnchanged({
  principal,
  callerNow,
}: Pick<RequestContext, 'principal' | 'callerNow'>): Promise<void> {
  if (!principal || !callerNow || isSameCaller(await callerNow(), principal)) return;
  throw unauthenticated('Your credentials, or what they permit, have changed. Send the request again.');
}

/** A person who proves a second factor again loses nothing by it. */
function isSameCaller(now: Principal | undefined, before: Principal): boolean {
  const hasFactor = now?.kind === 'user' && before.kind === 'user' && now.factorAt !== null;
  return isDeepStrictEqual(hasFactor ? { ...now, factorAt: before.factorAt } : now, before);
}

export interface SessionCookie {
  /** The session token of the request. */
  readonly token: string | undefined;
  /** Why the page that sent the request gets no cookie: it has another origin. */
  readonly refused?: LucarneError | undefined;
  set(token: string): void;
  clear(): void;
}

export function requireCookie(cookie: SessionCookie | undefined): SessionCookie {
  if (!cookie) {
    throw badUserInput('Send this over HTTP: a WebSocket answer cannot set a cookie.');
  }
  if (cookie.refused) throw cookie.refused;
  return cookie;
}
