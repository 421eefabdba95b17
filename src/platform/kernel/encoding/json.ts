import canonicalize from 'canonicalize';
import { endOfString, parseForeignJson } from './foreign-json.js';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** RFC 8785 (JCS): each value has exactly one text, which can be hashed and signed. */
export function canonicalJson(value: JsonValue): string {
  // JSON.stringify is many times faster, and its output is canonical if the members are in canonical order.
  if (isInCanonicalOrder(value)) return JSON.stringify(value);
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Only a JSON value has a canonical form.');
  return text;
}

/** Length of a chunk of a long text. Each character is escaped separately, so text can be split between any two. */
export const PIECE_LENGTH = 65_536;

/** How {@link textPieces} writes. */
interface Writing {
  /** The text of a value that is not split. */
  readonly text: (value: unknown) => string;
  /** The members of an object, in their order. */
  readonly names: (object: object) => readonly string[];
  /** Lists with more items are split into their items and no further. */
  readonly maxSplitItems: number;
}

const CANONICAL: Writing = {
  text: (value) => canonicalJson(value as JsonValue),
  names: (object) => Object.keys(object).sort(),
  maxSplitItems: Infinity,
};

/** {@link canonicalJson} in short chunks, for work that pauses between them. Objects and lists are split to `levels`. */
export const canonicalPieces = (value: JsonValue, levels = 2): Generator<string, void, undefined> =>
  textPieces(value, levels, CANONICAL);

/** The JSON of a value in short chunks. Objects and lists are split down to `levels`. */
export function* textPieces(
  value: unknown,
  levels: number,
  writing: Writing,
): Generator<string, void, undefined> {
  if (typeof value === 'string') yield* stringPieces(value, writing);
  else if (typeof value !== 'object' || value === null || levels === 0 || 'toJSON' in value)
    yield writing.text(value);
  else if (Array.isArray(value)) {
    const deeper = value.length > writing.maxSplitItems ? 0 : levels - 1;
    let begin = '[';
    for (const item of value as unknown[]) {
      yield begin;
      yield* textPieces(item, deeper, writing);
      begin = ',';
    }
    yield begin === '[' ? '[]' : ']';
  } else {
    let begin = '{';
    for (const name of writing.names(value)) {
      yield `${begin}${writing.text(name)}:`;
      yield* textPieces((value as Record<string, unknown>)[name], levels - 1, writing);
      begin = ',';
    }
    yield begin === '{' ? '{}' : '}';
  }
}

function* stringPieces(text: string, writing: Writing): Generator<string, void, undefined> {
  if (text.length <= PIECE_LENGTH) return yield writing.text(text);
  yield '"';
  for (let at = 0; at < text.length;) {
    // Keeps both halves of a surrogate pair together.
    const last = at + PIECE_LENGTH - 1;
    const end = last + (isHighSurrogate(text.charCodeAt(last)) ? 2 : 1);
    yield writing.text(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

/** Whether the value is JSON and the members of each object are in the order of RFC 8785, section 3.2.3. */
function isInCanonicalOrder(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every(isInCanonicalOrder);
  if ('toJSON' in value) return false;
  let before: string | undefined;
  for (const name of Object.keys(value)) {
    if ((before !== undefined && name <= before) || !name.isWellFormed()) return false;
    if (!isInCanonicalOrder((value as Record<string, unknown>)[name])) return false;
    before = name;
  }
  return true;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether objects and lists are nested more than `levels` deep. Does not recurse, so that no value exhausts the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; ; depth += 1) {
    const containers = level.filter((item) => typeof item === 'object' && item !== null);
    if (containers.length === 0) return false;
    if (depth === levels) return true;
    level = containers.flatMap((item): readonly unknown[] => Object.values(item));
  }
}

/**
 * Parses JSON text and refuses duplicate member names (I-JSON, RFC 7493 section 2.3), because some parsers use the first of two
 * members and others the last. The text may have any length, but at most 64 levels of nesting.
 * @throws {SyntaxError}
 */
export function parseUnambiguousJson(text: string): unknown {
  const value = parseForeignJson(text, { maxValues: Infinity });
  if (isWrittenSo(value, text)) return value;
  // The text has as many members as the value, so no name is duplicate.
  if (membersInText(text) === membersIn(value)) return value;
  const repeated = repeatedMember(text);
  if (repeated !== undefined) throw new SyntaxError(`Duplicate member name: ${repeated.slice(0, 100)}.`);
  return value;
}

/** Whether JSON.stringify writes this text, except for line ends, which no JSON string contains. Then no name is duplicate. */
const isWrittenSo = (value: unknown, text: string) => JSON.stringify(value) === text.replaceAll('\n', '');

function membersIn(value: unknown): number {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const items: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next)) count += items.length;
    for (const item of items) if (typeof item === 'object') open.push(item);
  }
  return count;
}

/** Counts the members of valid JSON text: every string before a colon is a member name. */
function membersInText(text: string): number {
  let count = 0;
  let quote = text.indexOf('"');
  while (quote >= 0) {
    let next = endOfString(text, quote) + 1;
    while (isSpace(text.charCodeAt(next))) next += 1;
    if (text[next] === ':') count += 1;
    quote = text.indexOf('"', next);
  }
  return count;
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** The first duplicate member name of valid JSON text. */
function repeatedMember(text: string): string | undefined {
  // The member names of each open object; null for a list.
  const open: (Set<string> | null)[] = [];
  let name = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      name = text.slice(at, end + 1);
      at = end;
    } else if (character === ':') {
      const member = JSON.parse(name) as string;
      const members = open.at(-1);
      if (members?.has(member)) return member;
      members?.add(member);
    } else if (character === '{' || character === '[') open.push(character === '{' ? new Set() : null);
    else if (character === '}' || character === ']') open.pop();
  }
  return undefined;
}
