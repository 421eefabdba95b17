import { sha256 } from '../../../platform/crypto/index.js';
import type { Random } from '../../../platform/kernel/random.js';
import { originForPeople } from '../../../platform/kernel/hosts.js';

/** The lifetime of a link that an owner created. */
export const INVITATION_LIFETIME_MS = 72 * 60 * 60_000;
/** The lifetime of a link that was requested by e-mail. */
export const PASSWORD_RESET_LIFETIME_MS = 60 * 60_000;
/** The time in which no other link replaces it. */
export const PASSWORD_RESET_KEPT_MS = 5 * 60_000;

const TOKEN_BYTES = 32;

/** The token of a link: 256 random bits in base64url. The database has only its hash. */
export function newLinkToken(random: Random): string {
  return Buffer.from(random(TOKEN_BYTES)).toString('base64url');
}

export const hashLinkToken = (token: string): Uint8Array => sha256(token);

/** The token is in the fragment. Browsers do not send it to servers, so neither logs nor `Referer` contain it. */
export const linkTo = (origin: string, page: 'invitation' | 'password-reset', token: string) =>
  `${originForPeople(origin)}/portal/${page}#${token}`;
