import { createHash } from 'node:crypto';
import { v4, v7 } from 'uuid';
import { invalidMember, notFound } from './errors.js';

/** The kind of thing that each prefix names. Ids are TypeIDs: prefix, underscore and a UUID in 26 base32 characters. */
const ID_KINDS = {
  org: 'organization',
  usr: 'user',
  acc: 'account',
  inv: 'invitation',
  pky: 'passkey',
  grt: 'pending grant',
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
  hld: 'legal hold',
  prp: 'proposal',
} as const;

export type IdPrefix = keyof typeof ID_KINDS;
export type Id<P extends IdPrefix = IdPrefix> = string & { readonly __id: P };

const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** A new id. Ids sort by their time of creation, to the millisecond. */
export function newId<P extends IdPrefix>(prefix: P): Id<P> {
  return `${prefix}_${encodeSuffix(v7(undefined, new Uint8Array(16)))}` as Id<P>;
}

/** A new id with 122 random bits. It is a capability: any caller who knows it may use the object. */
export function newCapabilityId<P extends IdPrefix>(prefix: P): Id<P> {
  return `${prefix}_${encodeSuffix(v4(undefined, new Uint8Array(16)))}` as Id<P>;
}

/**
 * The id of something that is stored without one, always the same for the same time and digest. `digest` has at least 16 bytes,
 * and stands for the random bits.
 */
export function derivedId<P extends IdPrefix>(prefix: P, createdAt: Date, digest: Uint8Array): Id<P> {
  const options = { msecs: createdAt.getTime(), random: digest };
  return `${prefix}_${encodeSuffix(v7(options, new Uint8Array(16)))}` as Id<P>;
}

/** Replaces a capability in logs: log lines about the same capability can be found, but the capability cannot be used. */
export const idDigest = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 16);

/** Replaces the ids of relay requests, which are capabilities, by their digests. */
export const withoutCapabilities = (text: string) =>
  text.replace(/rly_[0-9a-z]{26}/gi, (id) => `rly:${idDigest(id)}`);

export function isId<P extends IdPrefix>(prefix: P, value: unknown): value is Id<P> {
  return (
    typeof value === 'string' && value.startsWith(`${prefix}_`) && SUFFIX.test(value.slice(prefix.length + 1))
  );
}

/** Parses an id in a request body. Any other value is `BAD_USER_INPUT` with the name of the member. */
export function parseId<P extends IdPrefix>(prefix: P, member: string, value: unknown): Id<P> {
  if (!isId(prefix, value))
    throw invalidMember(member, `must be the id of ${withArticle(ID_KINDS[prefix])} (${prefix}_…)`);
  return value;
}

const withArticle = (kind: string) => `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind}`;

/** Parses an id in a path. Any other value is `NOT_FOUND`, because no object can have such an id. */
export function parseIdOrNotFound<P extends IdPrefix>(prefix: P, value: unknown): Id<P> {
  if (!isId(prefix, value)) throw notFound(ID_KINDS[prefix]);
  return value;
}

// TypeID's base32 puts the two padding bits before the 128 bits; RFC 4648 coders put them after.
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
