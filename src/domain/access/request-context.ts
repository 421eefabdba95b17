import { isDeepStrictEqual } from 'node:util';
import { badUserInput, type LucarneError, unauthenticated } from '../../platform/kernel/errors.js';
import type { Principal } from './principal.js';

/** What a resolver knows of its request: the same for GraphQL over HTTP, over a WebSocket, and for a REST route. */
export interface RequestContext {
  /** The caller; `undefined` without credentials. */
  readonly principal: Principal | undefined;
  /**
   * Reads the caller again by the credentials of the request: it can wait or run for long, and they can end meanwhile. Absent
   * for callers without credentials.
   */
  readonly callerNow?: (() => Promise<Principal | undefined>) | undefined;
  readonly requestId: string;
  /** The client's address, as trusted proxies report it. */
  readonly clientAddress: string;
  /** What the client says it is (`User-Agent`), at most 256 characters. */
  readonly userAgent?: string | undefined;
  /** Sets or clears the session cookie of the answer. Absent over a WebSocket, where answers have no headers. */
  readonly sessionCookie?: SessionCookie;
  /** The same for the cookie that binds a sign-in by OpenID Connect to its browser. */
  readonly attemptCookie?: SessionCookie;
  /** The same for the cookie by which a browser that signed in before is recognized. It opens nothing. */
  readonly deviceCookie?: SessionCookie;
  /** Reports the failure of `operation` to the security log, which ignores errors that are no denial. */
  readonly refused?: (error: LucarneError | undefined, operation: string) => void;
}

/** The request with its caller as the credentials show it now. */
export async function withCallerNow(context: RequestContext): Promise<RequestContext> {
  const { principal, callerNow } = context;
  return principal && callerNow ? { ...context, principal: await callerNow() } : context;
}

/** @throws `UNAUTHENTICATED` when the credentials, or what they permit, are not what they were at the request's begin. */
export async function requireUnchanged({
  principal,
  callerNow,
}: Pick<RequestContext, 'principal' | 'callerNow'>): Promise<void> {
  if (!principal || !callerNow || isDeepStrictEqual(await callerNow(), principal)) return;
  throw unauthenticated('Your credentials, or what they permit, have changed. Send the request again.');
}

export interface SessionCookie {
  /** The token that the request carried. */
  readonly token: string | undefined;
  /** Why the page that sent the request is given none: it is of another origin. */
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
