import { timingSafeEqual } from 'node:crypto';
import type { Foundation } from '../../../platform/database/index.js';
import type { Sealer } from '../../../platform/crypto/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

// OWASP, "Slow Down Online Guessing Attacks with Device Cookies": failures in a browser that signed in before are counted
// separately, so that guesses from elsewhere never lock the owner out. The cookie is valid for one account, and not for
// others with the same e-mail address, which any organization could create.
const NONCE_BYTES = 16;
const FORM = /^[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}$/;

/** A browser, and the account that signed in with it. */
export interface KnownDevice {
  readonly id: string;
  readonly accountId: Id<'acc'>;
}

/** The cookie of a browser after a person signed in. It identifies nobody and grants nothing. */
export function newDeviceToken(
  { random, sealer }: Pick<Foundation, 'random' | 'sealer'>,
  accountId: Id<'acc'>,
): string {
  const nonce = Buffer.from(random(NONCE_BYTES)).toString('base64url');
  return `${nonce}.${macOf(sealer, accountId, nonce).toString('base64url')}`;
}

/** The device of the token, if one of these accounts signed in with it before. */
export function knownDevice(
  sealer: Sealer,
  accountIds: readonly Id<'acc'>[],
  token: string | undefined,
): KnownDevice | undefined {
  if (token === undefined || !FORM.test(token)) return undefined;
  const [nonce = '', mac = ''] = token.split('.');
  const accountId = accountIds.find((id) =>
    timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(sealer, id, nonce)),
  );
  return accountId === undefined ? undefined : { id: nonce, accountId };
}

const macOf = (sealer: Sealer, accountId: Id<'acc'>, nonce: string) =>
  Buffer.from(sealer.digest(JSON.stringify([accountId, nonce]), 'sign_in/known_device'));
