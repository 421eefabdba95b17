import { sha256 } from '../../../platform/crypto/index.js';
import type { Random } from '../../../platform/kernel/random.js';

/** How long a link that an owner made is valid. */
export const INVITATION_LIFETIME_MS = 72 * 60 * 60_000;
/** How long a link that was asked for by e-mail is valid. */
export const PASSWORD_RESET_LIFETIME_MS = 60 * 60_000;
/** How long no other link takes its place. */
export const PASSWORD_RESET_KEPT_MS = 5 * 60_000;

const TOKEN_BYTES = 32;

/** 256 random bits in base64url: what a link carries, and the database knows only as a hash. */
export function newLinkToken(random: Random): string {
  return Buffer.from(random(TOKEN_BYTES)).toString('base64url');
}

export const hashLinkToken = (token: string): Uint8Array => sha256(token);

/** The token is in the fragment, which browsers do not send to servers, so it is in neither logs nor `Referer`. */
export const linkTo = (origin: string, page: 'invitation' | 'password-reset', token: string) =>
  `${origin}/portal/${page}#${token}`;
