import { badUserInput, type LucarneError } from '../kernel/errors.js';
import type { Principal } from './principal.js';

/** What a resolver is told of its request. The same for GraphQL over HTTP, over a WebSocket, and for a REST route. */
export interface RequestContext {
  /** Who calls; `undefined` is nobody. */
  readonly principal: Principal | undefined;
  readonly requestId: string;
  /** The client's address as the trusted proxies tell it. */
  readonly clientAddress: string;
  /** Sets or ends the session cookie of the answer; absent where an answer has no headers (WebSocket). */
  readonly sessionCookie?: SessionCookie;
  /** The same for the cookie that binds a sign-in by OpenID Connect to its browser. */
  readonly attemptCookie?: SessionCookie;
  /** Tells the security log that `operation` failed so; it passes over what is no denial. */
  readonly refused?: (error: LucarneError | undefined, operation: string) => void;
}

export interface SessionCookie {
  /** The token that the request carried. */
  readonly token: string | undefined;
  set(token: string): void;
  clear(): void;
}

export function requireCookie(cookie: SessionCookie | undefined): SessionCookie {
  if (!cookie) {
    throw badUserInput('A session is opened and ended over HTTP: a WebSocket answer carries no cookie.');
  }
  return cookie;
}
