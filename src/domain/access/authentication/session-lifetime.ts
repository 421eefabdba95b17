import type { Random } from '../../../platform/kernel/random.js';
import { sha256 } from '../../../platform/crypto/index.js';

export const SESSION_IDLE_MS = 30 * 60_000;
export const SESSION_LIFETIME_MS = 12 * 60 * 60_000;

/** The token in the cookie: 256 random bits in base64url. */
export type SessionToken = string & { readonly __sessionToken: true };

const FORM = /^[0-9A-Za-z_-]{43}$/;

export function newSessionToken(random: Random): SessionToken {
  return Buffer.from(random(32)).toString('base64url') as SessionToken;
}

/** The token, or `undefined` for a text that was never one. */
export function parseSessionToken(text: string): SessionToken | undefined {
  return FORM.test(text) ? (text as SessionToken) : undefined;
}

/** The hash of the token in the database: 32 bytes. */
export function hashSessionToken(token: SessionToken): Uint8Array {
  return sha256(token);
}

/** Whether a session that was not ended is still valid: it ends 30 minutes after its last use, or after 12 hours. */
export function isAlive(session: { readonly lastSeenAt: Date; readonly expiresAt: Date }, at: Date): boolean {
  return (
    at.getTime() < session.lastSeenAt.getTime() + SESSION_IDLE_MS &&
    at.getTime() < session.expiresAt.getTime()
  );
}
