import { timingSafeEqual } from 'node:crypto';
import type { Foundation } from '../../../platform/database/index.js';
import type { Sealer } from '../../../platform/crypto/index.js';
import { foldEmail } from '../members/parse-email.js';

// OWASP, "Slow Down Online Guessing Attacks with Device Cookies": a browser that signed in before is counted on its own,
// so that what others guess elsewhere never keeps the owner out.
const NONCE_BYTES = 16;
const FORM = /^[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}$/;

/** What the cookie of a browser carries after a person signed in there. It names nobody and opens nothing. */
export function newDeviceToken(
  { random, sealer }: Pick<Foundation, 'random' | 'sealer'>,
  email: string,
): string {
  const nonce = Buffer.from(random(NONCE_BYTES)).toString('base64url');
  return `${nonce}.${macOf(sealer, email, nonce).toString('base64url')}`;
}

/** The device that the token names, when a person of this address signed in there before. */
export function knownDevice(sealer: Sealer, email: string, token: string | undefined): string | undefined {
  if (token === undefined || !FORM.test(token)) return undefined;
  const [nonce = '', mac = ''] = token.split('.');
  return timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(sealer, email, nonce)) ? nonce : undefined;
}

const macOf = (sealer: Sealer, email: string, nonce: string) =>
  Buffer.from(sealer.digest(JSON.stringify([foldEmail(email), nonce]), 'sign_in/known_device'));
