import { createHash } from 'node:crypto';
import { badUserInput } from './errors.js';
import type { JsonValue } from './json.js';
import { canonicalJson } from './json.js';
import { isStorable } from './text.js';

export const DEFAULT_PAGE_SIZE = 50;
export const LARGEST_PAGE_SIZE = 200;

/** One page of a listing by keyset. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasNextPage: boolean;
}

export function parseLimit(member: string, value: number | null | undefined): number {
  const limit = value ?? DEFAULT_PAGE_SIZE;
  if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE_SIZE) {
    throw badUserInput(`${member} must be an integer from 1 to ${LARGEST_PAGE_SIZE}.`);
  }
  return limit;
}

/**
 * Opaque cursors over one listing with one set of filters. A cursor carries a digest of both, so that it cannot be
 * used with filters other than it was made with, where it would silently skip rows.
 */
export function cursorsFor(listing: string, filters: JsonValue) {
  const binding = createHash('sha256')
    .update(canonicalJson([listing, filters]))
    .digest()
    .subarray(0, 8);
  return {
    encode(key: string | number): string {
      return Buffer.concat([binding, Buffer.from(JSON.stringify(key))]).toString('base64url');
    },
    /** The key of the row to go on behind. A malformed or foreign cursor is `BAD_USER_INPUT`. */
    decode<Key extends 'string' | 'number'>(
      kind: Key,
      member: string,
      cursor: string,
    ): Key extends 'number' ? number : string {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.toString('base64url') !== cursor || bytes.length <= binding.length) throw malformed(member);
      if (!bytes.subarray(0, binding.length).equals(binding)) {
        throw badUserInput(`${member} was made by another listing or with other filters.`);
      }
      const key = parseKey(bytes.subarray(binding.length).toString());
      if (typeof key !== kind || !(typeof key === 'string' ? isStorable(key) : Number.isSafeInteger(key)))
        throw malformed(member);
      return key as Key extends 'number' ? number : string;
    },
  };
}

/** Cuts a page out of `limit + 1` rows: the last one only tells that there is more. */
export function pageOf<Row>(rows: readonly Row[], limit: number): Page<Row> {
  return { rows: rows.slice(0, limit), hasNextPage: rows.length > limit };
}

const malformed = (member: string) => badUserInput(`${member} is not a cursor of this listing.`);

function parseKey(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
