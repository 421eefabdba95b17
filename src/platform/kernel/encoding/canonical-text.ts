const [QUOTE, BACKSLASH, COMMA, COLON, EQUALS] = [0x22, 0x5c, 0x2c, 0x3a, 0x3d];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const [MINUS, POINT, ZERO, NINE, SPACE, LAST_ASCII] = [0x2d, 0x2e, 0x30, 0x39, 0x20, 0x7e];
/** A double holds every integer of this many digits. */
const MAX_INTEGER_DIGITS = 15;
const MAX_DEPTH = 64;

/** Characters that RFC 8785 writes after a backslash. `\u` is left to the parser. */
const ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\bfnrt'));
const LITERALS: ReadonlyMap<number | undefined, Uint8Array> = new Map(
  ['true', 'false', 'null'].map((literal) => [literal.charCodeAt(0), Buffer.from(literal)]),
);

const NO_SEXTET = 64;
/** By character, its value in base64 (RFC 4648, section 4). */
const SEXTETS = new Uint8Array(256).fill(NO_SEXTET);
Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/').forEach(
  (character, value) => (SEXTETS[character] = value),
);

/**
 * The end of the JSON value at `begin` if its text is obviously canonical (RFC 8785). -1 means undecided: the caller must parse
 * the text to find out. `bytes` must be UTF-8. Member names must be printable ASCII without escapes, and numbers integers of up
 * to 15 digits.
 */
export function endOfCanonicalJson(bytes: Uint8Array, begin: number, depth = 0): number {
  const first = bytes[begin];
  if (first === QUOTE) return endOfString(bytes, begin);
  if (first === OPEN_OBJECT) return depth === MAX_DEPTH ? -1 : endOfObject(bytes, begin, depth + 1);
  if (first === OPEN_LIST) return depth === MAX_DEPTH ? -1 : endOfList(bytes, begin, depth + 1);
  const literal = LITERALS.get(first);
  if (literal) return startsWith(bytes, begin, literal) ? begin + literal.length : -1;
  return endOfInteger(bytes, begin);
}

/**
 * The start of a member's value, or -1. `object` is the start of an object whose end `endOfCanonicalJson` found. The requested
 * name is in the same bytes.
 */
export function memberOfCanonicalJson(
  bytes: Uint8Array,
  object: number,
  nameBegin: number,
  nameEnd: number,
): number {
  for (let at = object + 1; bytes[at] === QUOTE; at += 1) {
    const end = endOfPlainText(bytes, at + 1);
    if (compareText(bytes, at + 1, end, nameBegin, nameEnd) === 0) return end + 2;
    at = endOfCanonicalJson(bytes, end + 2);
  }
  return -1;
}

/** The position of the quote that ends printable ASCII without escapes, or -1 for other text. */
export function endOfPlainText(bytes: Uint8Array, begin: number): number {
  for (let at = begin; ; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === undefined || byte < SPACE || byte > LAST_ASCII || byte === BACKSLASH) return -1;
  }
}

/** The position of the quote that ends text without escapes, or -1 if it has escapes. `bytes` must be UTF-8. */
export function endOfUnescapedText(bytes: Uint8Array, begin: number): number {
  for (let at = begin; ; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === undefined || byte < SPACE || byte === BACKSLASH) return -1;
  }
}

/**
 * Compares two texts. Returns a negative, zero or positive number if the first sorts before, equals or sorts after the second.
 */
export function compareText(
  bytes: Uint8Array,
  begin: number,
  end: number,
  otherBegin: number,
  otherEnd: number,
): number {
  const [length, otherLength] = [end - begin, otherEnd - otherBegin];
  for (let at = 0; at < length && at < otherLength; at += 1) {
    const difference = bytes[begin + at]! - bytes[otherBegin + at]!;
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}

export function startsWith(bytes: Uint8Array, begin: number, text: Uint8Array): boolean {
  for (let at = 0; at < text.length; at += 1) if (bytes[begin + at] !== text[at]) return false;
  return true;
}

/** The same result as `base64.decode` of the text between two positions, without creating a string. */
export function decodeBase64(bytes: Uint8Array, begin: number, end: number): Uint8Array | undefined {
  if (end < begin || end > bytes.length || (end - begin) % 4 !== 0) return undefined;
  const padding = end === begin || bytes[end - 1] !== EQUALS ? 0 : bytes[end - 2] !== EQUALS ? 1 : 2;
  const decoded = new Uint8Array(((end - begin) / 4) * 3 - padding);
  let [bits, held, written] = [0, 0, 0];
  for (let at = begin; at < end - padding; at += 1) {
    const value = SEXTETS[bytes[at]!]!;
    if (value === NO_SEXTET) return undefined;
    bits = (bits << 6) | value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    decoded[written] = bits >> held;
    written += 1;
    bits &= (1 << held) - 1;
  }
  // The unused bits must be zero.
  return bits === 0 ? decoded : undefined;
}

function endOfObject(bytes: Uint8Array, begin: number, depth: number): number {
  if (bytes[begin + 1] === CLOSE_OBJECT) return begin + 2;
  let [beforeBegin, beforeEnd] = [0, 0];
  for (let at = begin + 1; bytes[at] === QUOTE; at += 1) {
    const nameBegin = at + 1;
    const nameEnd = endOfPlainText(bytes, nameBegin);
    if (nameEnd < 0 || bytes[nameEnd + 1] !== COLON) return -1;
    // For ASCII, byte order is the order of UTF-16 code units (section 3.2.3). Strictly ascending names are unique.
    if (beforeEnd > 0 && compareText(bytes, beforeBegin, beforeEnd, nameBegin, nameEnd) >= 0) return -1;
    [beforeBegin, beforeEnd] = [nameBegin, nameEnd];
    at = endOfCanonicalJson(bytes, nameEnd + 2, depth);
    if (at < 0) return -1;
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    if (bytes[at] !== COMMA) return -1;
  }
  return -1;
}

function endOfList(bytes: Uint8Array, begin: number, depth: number): number {
  if (bytes[begin + 1] === CLOSE_LIST) return begin + 2;
  for (let at = begin + 1; ; at += 1) {
    at = endOfCanonicalJson(bytes, at, depth);
    if (at < 0) return -1;
    if (bytes[at] === CLOSE_LIST) return at + 1;
    if (bytes[at] !== COMMA) return -1;
  }
}

function endOfString(bytes: Uint8Array, begin: number): number {
  for (let at = begin + 1; ; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === undefined || byte < SPACE) return -1;
    if (byte !== BACKSLASH) continue;
    at += 1;
    if (!ESCAPES.has(bytes[at] ?? 0)) return -1;
  }
}

function endOfInteger(bytes: Uint8Array, begin: number): number {
  const first = bytes[begin] === MINUS ? begin + 1 : begin;
  let at = first;
  while (isDigit(bytes[at])) at += 1;
  const digits = at - first;
  if (digits === 0 || digits > MAX_INTEGER_DIGITS) return -1;
  // No leading zero, no negative zero, no fraction and no exponent.
  if (bytes[first] === ZERO && (digits > 1 || first > begin)) return -1;
  const next = bytes[at];
  return next === POINT || next === 0x65 || next === 0x45 ? -1 : at;
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= ZERO && byte <= NINE;
