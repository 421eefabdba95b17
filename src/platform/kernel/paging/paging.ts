import { hash } from 'node:crypto';
import { invalidMember, type MemberParsers, parseMembers } from '../errors.js';
import { parseForeignJson } from '../encoding/foreign-json.js';
import type { JsonValue } from '../encoding/json.js';
import { canonicalJson } from '../encoding/json.js';
import { isStorable } from '../text.js';
import { rowsThatFit } from './page-weight.js';
import { attempt } from '../encoding/attempt.js';

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

/** The longest safe integer has 16 digits. */
const SEALED_LENGTH = 16;

/** Encrypts the contents of cursors with a key that callers do not have. */
export interface CursorSealer {
  seal(plaintext: Uint8Array, context: string): Uint8Array;
  open(sealed: Uint8Array, context: string): Uint8Array;
}

/** The page that a caller requests. */
export interface PageInput {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** The page that a caller requests, when it is parsed, and the cursors of the list. */
export interface PageRequest<Key, ListCursors> {
  readonly limit: number;
  /** The key of the row before the page. Undefined for the first page. */
  readonly after: Key | undefined;
  readonly cursors: ListCursors;
}

/** One page of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasNextPage: boolean;
}

export function parseLimit(member: string, value: number | null | undefined): number {
  const limit = value ?? DEFAULT_PAGE_SIZE;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_SIZE) {
    throw invalidMember(member, `must be an integer from 1 to ${MAX_PAGE_SIZE}`);
  }
  return limit;
}

/**
 * Opaque cursors of one list with one set of filters. A cursor contains a digest of both. With other filters it would silently
 * skip rows, so it is refused. `sealer` encrypts keys that reveal something about others, such as a number that counts the rows
 * of all organizations.
 */
export function cursorsFor(listing: string, filters: JsonValue, sealer?: CursorSealer) {
  const context = `cursors/${listing}`;
  const binding = hash('sha256', canonicalJson([listing, filters]), 'buffer').subarray(0, 8);
  return {
    encode(key: string | number): string {
      const text = JSON.stringify(key);
      // Padded to a fixed length, because the length would reveal how many rows there are.
      const bytes = sealer
        ? sealer.seal(Buffer.from(text.padStart(SEALED_LENGTH)), context)
        : Buffer.from(text);
      return Buffer.concat([binding, bytes]).toString('base64url');
    },
    /** The key of the row before the page. A malformed cursor, or one of another list, is `BAD_USER_INPUT`. */
    decode<Key extends 'string' | 'number'>(
      kind: Key,
      member: string,
      cursor: string,
    ): Key extends 'number' ? number : string {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.toString('base64url') !== cursor || bytes.length <= binding.length) throw malformed(member);
      if (!bytes.subarray(0, binding.length).equals(binding)) {
        throw invalidMember(member, 'was returned by another listing or with other filters');
      }
      const key = attempt(() => {
        const rest = bytes.subarray(binding.length);
        const text = Buffer.from(sealer ? sealer.open(rest, context) : rest).toString();
        return parseForeignJson(text, { maxDepth: 1, maxValues: 1 });
      });
      if (typeof key !== kind || !(typeof key === 'string' ? isStorable(key) : Number.isSafeInteger(key)))
        throw malformed(member);
      return key as Key extends 'number' ? number : string;
    },
  };
}

/** What {@link parsePage} needs of the cursors of a list. */
type Decoder = Pick<ReturnType<typeof cursorsFor>, 'decode'>;

/**
 * Parses the filters of a list and its page, so that all invalid members are reported together. Cursors are bound to the
 * filters, so `after` is only examined with valid ones.
 */
export function parsePage<
  Kind extends 'string' | 'number',
  ListCursors extends Decoder,
  Filters extends object = object,
>(
  input: PageInput,
  kind: Kind,
  cursorsOf: (filters: Filters) => ListCursors,
  filterParsers?: MemberParsers<Filters>,
): PageRequest<Kind extends 'number' ? number : string, ListCursors> & Filters {
  let cursors: ListCursors | undefined;
  const { limit, filters, after } = parseMembers({
    limit: () => parseLimit('first', input.first),
    filters: () => {
      const parsed = parseMembers(filterParsers ?? ({} as MemberParsers<Filters>));
      cursors = cursorsOf(parsed);
      return parsed;
    },
    after: () => (input.after == null ? undefined : cursors?.decode(kind, 'after', input.after)),
  });
  return { ...filters, limit, after, cursors: cursors! };
}

/**
 * Makes a page of up to `limit + 1` rows. The extra row only shows that more rows follow. A page of large rows has fewer rows
 * than requested, so that an organization with many large rows does not cause answers that delay others.
 */
export function pageOf<Row>(rows: readonly Row[], limit: number): Page<Row> {
  const held = Math.min(limit, rowsThatFit(rows));
  return { rows: rows.slice(0, held), hasNextPage: rows.length > held };
}

const malformed = (member: string) => invalidMember(member, 'is not a cursor of this listing');
