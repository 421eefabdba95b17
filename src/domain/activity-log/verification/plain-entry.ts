import { hash } from 'node:crypto';
import { HASH_LENGTH, leafHash, type Checkpoint } from '../../../platform/crypto/index.js';
import {
  compareText,
  decodeBase64,
  endOfCanonicalJson,
  endOfPlainText,
  endOfUnescapedText,
  memberOfCanonicalJson,
  startsWith,
} from '../../../platform/kernel/encoding/canonical-text.js';
import { SALT_BYTES } from '../personal-values.js';

/** The tree that a checkpoint signs. */
export type Tree = Pick<Checkpoint, 'size' | 'root'>;

/** An entry whose text is canonical, and the salts that open its digests. */
export interface PlainEntry {
  readonly index: number;
  readonly leaf: Uint8Array;
  readonly proof: readonly Uint8Array[];
  /** The number of personal values that match the log. */
  readonly opened: number;
}

/** Consecutive entries of a file that are in the usual format and in the tree of the checkpoint. */
export interface ShownEntries {
  readonly indexes: Float64Array;
  /** HASH_LENGTH bytes of each. */
  readonly leaves: Uint8Array;
  /** The number of personal values that match the log. */
  readonly opened: number;
}

const [QUOTE, OPEN_OBJECT, CLOSE_OBJECT, COMMA, SLASH, TILDE] = [0x22, 0x7b, 0x7d, 0x2c, 0x2f, 0x7e];
const text = (literal: string): Uint8Array => Buffer.from(literal);
const [INDEX, ENTRY, SALTS, PROOF, END] = [
  text('{"index":'),
  text(',"entry":'),
  text(',"salts":'),
  text(',"proof":['),
  text(']}'),
];
const KEY_CHANGE = Buffer.from('signing_key.');
const [SALT, VALUE, END_OF_OPENING, DIGEST, END_OF_DIGEST] = [
  text('":{"salt":"'),
  text('","value":"'),
  text('"}'),
  text('{"sha256":"'),
  text('"}'),
];
/** Entries that have more are parsed. */
const MAX_SALTS = 16;
/** Characters of a SHA-256 in hex. */
const DIGEST_LENGTH = 64;
/** Characters of a hash in base64, and with its quotes and a comma. */
const BASE64_LENGTH = 44;
const HASH_STRIDE = BASE64_LENGTH + 3;

/** Reads the entry between two positions of a block of UTF-8. Returns `undefined` if it must be parsed instead. */
export type PlainEntryReader = (block: Buffer, begin: number, end: number) => PlainEntry | undefined;

/**
 * Reads the lines of an export in their usual format: members in order, the entry in canonical form, salt values without
 * escapes. Nothing is parsed, because the file contains the exact hashed text.
 */
export function plainEntryReader(): PlainEntryReader {
  const readProof = proofReader();
  return (block, begin, end) => {
    if (!startsWith(block, begin, INDEX)) return undefined;
    const indexBegin = begin + INDEX.length;
    const indexEnd = endOfCanonicalJson(block, indexBegin);
    const entryBegin = indexEnd + ENTRY.length;
    if (indexEnd < 0 || !startsWith(block, indexEnd, ENTRY) || block[entryBegin] !== OPEN_OBJECT)
      return undefined;
    const entryEnd = endOfCanonicalJson(block, entryBegin);
    if (entryEnd < 0 || !startsWith(block, entryEnd, SALTS)) return undefined;
    const salts = openSalts(block, entryEnd + SALTS.length, entryBegin);
    if (!salts || !startsWith(block, salts.end, PROOF) || !startsWith(block, end - END.length, END))
      return undefined;
    const proof = readProof(block, salts.end + PROOF.length, end - END.length);
    if (!proof) return undefined;
    // An entry that may change the keys of the log is parsed as a whole.
    if (block.subarray(entryBegin, entryEnd).includes(KEY_CHANGE)) return undefined;
    // Any other JSON value becomes NaN, which is no index.
    const index = Number(block.toString('latin1', indexBegin, indexEnd));
    return { index, leaf: leafHash(block.subarray(entryBegin, entryEnd)), proof, opened: salts.opened };
  };
}

/** Opens each salt of a canonical entry. Returns their number and the position of their end. */
function openSalts(
  block: Buffer,
  begin: number,
  entry: number,
): { readonly opened: number; readonly end: number } | undefined {
  if (block[begin] !== OPEN_OBJECT) return undefined;
  if (block[begin + 1] === CLOSE_OBJECT) return { opened: 0, end: begin + 2 };
  const pointers: Span[] = [];
  for (let at = begin + 1; block[at] === QUOTE && pointers.length < MAX_SALTS; at += 1) {
    const pointer = spanOf(block, at + 1, SALT);
    const salt = pointer && spanOf(block, pointer.end + SALT.length, VALUE);
    const value = salt && spanOf(block, salt.end + VALUE.length, END_OF_OPENING, endOfUnescapedText);
    if (!value || pointers.some((other) => isSame(block, pointer, other))) return undefined;
    pointers.push(pointer);
    if (!isOpened(block, digestAt(block, entry, pointer), salt, value)) return undefined;
    at = value.end + END_OF_OPENING.length;
    if (block[at] === CLOSE_OBJECT) return { opened: pointers.length, end: at + 1 };
    if (block[at] !== COMMA) return undefined;
  }
  return undefined;
}

interface Span {
  readonly begin: number;
  readonly end: number;
}

/** The text of the string at a position, if it is plain and followed by its quote and the expected text. */
function spanOf(
  block: Buffer,
  begin: number,
  follows: Uint8Array,
  endOf: (block: Buffer, begin: number) => number = endOfPlainText,
): Span | undefined {
  const end = endOf(block, begin);
  return end >= 0 && startsWith(block, end, follows) ? { begin, end } : undefined;
}

const isSame = (block: Buffer, one: Span, other: Span) =>
  compareText(block, one.begin, one.end, other.begin, other.end) === 0;

/** The position of the value that a JSON pointer names, through objects only; -1 if there is none. */
function digestAt(block: Buffer, entry: number, { begin, end }: Span): number {
  let value = entry;
  for (let at = begin; at < end;) {
    if (block[at] !== SLASH || block[value] !== OPEN_OBJECT) return -1;
    const token = at + 1;
    for (at = token; at < end && block[at] !== SLASH; at += 1) if (block[at] === TILDE) return -1;
    value = memberOfCanonicalJson(block, value, token, at);
    if (value < 0) return -1;
  }
  return value;
}

/** Salt and value, which are hashed together. */
const OPENING = Buffer.alloc(4096);

/** Whether the text at a position is `{ "sha256": … }` with the hash of the salt and the value. */
function isOpened(block: Buffer, digest: number, salt: Span, value: Span): boolean {
  const hashBegin = digest + DIGEST.length;
  const hashEnd = hashBegin + DIGEST_LENGTH;
  if (digest < 0 || !startsWith(block, digest, DIGEST) || !startsWith(block, hashEnd, END_OF_DIGEST))
    return false;
  const bytes = decodeBase64(block, salt.begin, salt.end);
  const length = SALT_BYTES + value.end - value.begin;
  if (bytes?.length !== SALT_BYTES || length > OPENING.length) return false;
  OPENING.set(bytes);
  block.copy(OPENING, bytes.length, value.begin, value.end);
  const found = hash('sha256', OPENING.subarray(0, length), 'hex');
  return found === block.toString('latin1', hashBegin, hashEnd);
}

/** Reads proofs. Adjacent proofs share their end, which is recognized by its text and decoded once. */
function proofReader() {
  let last: Buffer = Buffer.alloc(0);
  let hashes: readonly Uint8Array[] = [];
  return (block: Buffer, begin: number, end: number): readonly Uint8Array[] | undefined => {
    // Each hash is followed by a comma, the last one by the bracket.
    const count = (end + 1 - begin) / HASH_STRIDE;
    if (end > begin && !Number.isInteger(count)) return undefined;
    const proof: Uint8Array[] = [];
    for (let at = begin; at < end; at += HASH_STRIDE) {
      const left = end - at;
      if (left <= last.length && last.compare(block, at, end, last.length - left) === 0) {
        proof.push(...hashes.slice(-Math.ceil(left / HASH_STRIDE)));
        break;
      }
      const decoded = decodeHash(block, at, end);
      if (!decoded) return undefined;
      proof.push(decoded);
    }
    last = block.subarray(begin, end);
    hashes = proof;
    return proof;
  };
}

/** The hash in a list of base64 strings. */
function decodeHash(block: Buffer, begin: number, end: number): Uint8Array | undefined {
  const next = begin + HASH_STRIDE;
  const isSeparated = next - 1 === end || block[next - 1] === COMMA;
  if (!isSeparated || block[begin] !== QUOTE || block[next - 2] !== QUOTE) return undefined;
  const decoded = decodeBase64(block, begin + 1, next - 2);
  return decoded?.length === HASH_LENGTH ? decoded : undefined;
}
