import { createHash } from 'node:crypto';
import { v4, v7 } from 'uuid';
import { badUserInput, notFound } from './errors.js';

/** What each prefix names. Ids are TypeIDs: prefix, underscore, 26 characters of base32 (a UUID). */
export const ID_KINDS = {
  org: 'organization',
  usr: 'user',
  app: 'application',
  ast: 'asset',
  txn: 'transaction',
  dsc: 'disclosure',
  rcp: 'receipt',
  dpl: 'disclosure policy',
  crq: 'case request',
  cas: 'case',
  rpt: 'report',
  log: 'activity log entry',
  chk: 'check',
  rly: 'relay request',
  key: 'API key',
  ses: 'session',
} as const;

export type IdPrefix = keyof typeof ID_KINDS;
export type Id<P extends IdPrefix = IdPrefix> = string & { readonly __id: P };

const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** A new id, sortable by its time of creation to the millisecond. */
export function newId<P extends IdPrefix>(prefix: P): Id<P> {
  return `${prefix}_${encodeSuffix(v7(undefined, new Uint8Array(16)))}` as Id<P>;
}

/** A new id that nobody can guess: 122 random bits. Who knows it may use what it names. */
export function newCapabilityId<P extends IdPrefix>(prefix: P): Id<P> {
  return `${prefix}_${encodeSuffix(v4(undefined, new Uint8Array(16)))}` as Id<P>;
}

/** What stands for a capability in logs: enough to find its lines by, and nothing to use it with. */
export const idDigest = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 16);

/** The text with the ids of relay requests, which are capabilities, as their digests. */
export const withoutCapabilities = (text: string) =>
  text.replace(/rly_[0-9a-z]{26}/gi, (id) => `rly:${idDigest(id)}`);

export function isId<P extends IdPrefix>(prefix: P, value: unknown): value is Id<P> {
  return (
    typeof value === 'string' && value.startsWith(`${prefix}_`) && SUFFIX.test(value.slice(prefix.length + 1))
  );
}

/** Parses an id in a body: anything else is `BAD_USER_INPUT` naming the member. */
export function parseId<P extends IdPrefix>(prefix: P, member: string, value: unknown): Id<P> {
  if (!isId(prefix, value))
    throw badUserInput(`${member} must be the id of ${withArticle(ID_KINDS[prefix])} (${prefix}_…).`);
  return value;
}

const withArticle = (kind: string) => `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind}`;

/** Parses an id that names a thing in a path: what cannot be an id cannot exist. */
export function locateId<P extends IdPrefix>(prefix: P, value: unknown): Id<P> {
  if (!isId(prefix, value)) throw notFound(ID_KINDS[prefix]);
  return value;
}

// TypeID's base32 pads the 128 bits with two zero bits in front, where RFC 4648-style coders pad behind.
function encodeSuffix(uuid: Uint8Array): string {
  let text = '';
  let bits = 0;
  let count = 2;
  for (const byte of uuid) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 5;) {
      count -= 5;
      text += ALPHABET.charAt(bits >> count);
      bits &= (1 << count) - 1;
    }
  }
  return text;
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
