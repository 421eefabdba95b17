import canonicalize from 'canonicalize';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** RFC 8785 (JCS): one text for one value, so that it can be hashed and signed. */
export function canonicalJson(value: JsonValue): string {
  // Members in canonical order: then the canonical text is the one that JSON.stringify writes, many times faster.
  if (isInCanonicalOrder(value)) return JSON.stringify(value);
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Only a JSON value has a canonical form.');
  return text;
}

/** Whether the value is JSON, with the members of each object in the order of RFC 8785, section 3.2.3. */
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

/**
 * Parses JSON text in which no object names a member twice (I-JSON, RFC 7493 section 2.3): of two, one reader would
 * see the first and another the last.
 * @throws {SyntaxError}
 */
export function parseUnambiguousJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isWrittenSo(value, text)) return value;
  // As many members in the text as in the value: none was named twice.
  if (membersInText(text) === membersIn(value)) return value;
  const repeated = repeatedMember(text);
  if (repeated !== undefined) throw new SyntaxError(`A member is named twice: ${repeated.slice(0, 100)}.`);
  return value;
}

/** Whether JSON.stringify writes the value so, line ends aside, which no string holds: then it names every member once. */
function isWrittenSo(value: unknown, text: string): boolean {
  try {
    return JSON.stringify(value) === text.replaceAll('\n', '');
  } catch {
    // Nested more deeply than the stack.
    return false;
  }
}

/** Without recursion: text may be nested more deeply than the stack. */
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

/** Of text that is known to be JSON: a colon outside of a string stands behind the name of a member. */
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

/** Of text that is known to be JSON. */
function repeatedMember(text: string): string | undefined {
  // The members of each open object; null for a list.
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

function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    // An even number of them escape each other, and not the quote.
    if (backslashes % 2 === 0) return end;
  }
}
