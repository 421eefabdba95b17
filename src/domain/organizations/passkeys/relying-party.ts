import { isIP } from 'node:net';
import { conflict } from '../../../platform/kernel/errors.js';
import { originForPeople } from '../../../platform/kernel/hosts.js';

/** The relying party of passkeys, from the origin that browsers see. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** The relying party of an origin: its host. Browsers create no passkey for an IP address, but do for `localhost`. */
export function relyingPartyOf(origin: string): RelyingParty {
  const url = new URL(originForPeople(origin));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) {
    throw conflict(
      'Passkeys need a domain name: this gateway is reached by an IP address. See LUCARNE_PUBLIC_URL.',
    );
  }
  return { id: host, origin: url.origin };
}
