import {
  inclusionVerifier,
  leafHash,
  openCheckpoint,
  parseVerifierKey,
  sha256,
  tileAppender,
  type Checkpoint,
} from '../crypto/index.js';
import { base64, equalBytes, hex } from '../kernel/bytes.js';
import { messageOf } from '../kernel/errors.js';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../kernel/json.js';

export const LOG_CHECKS = ['file', 'checkpoint', 'entries', 'salts', 'proofs', 'complete', 'since'] as const;

export interface LogCheck {
  readonly name: (typeof LOG_CHECKS)[number];
  readonly passed: boolean;
  /** What was found, or why it failed, for a person to read. */
  readonly detail: string;
}

export interface LogVerification {
  readonly valid: boolean;
  readonly checks: readonly LogCheck[];
  /** What a file alone cannot show. */
  readonly unverified: readonly string[];
}

export interface VerifyLogOptions {
  /** The log's key as it is known from elsewhere (C2SP). Without it the file's own key is believed. */
  readonly verifierKey?: string;
  /** An older checkpoint of the same log, kept from before: the file must continue it. */
  readonly since?: string;
  /** Whether every entry that the checkpoint counts must be in the file. */
  readonly complete?: boolean;
}

/**
 * Checks an export of the activity log offline: who signed its checkpoint, that every entry stands in the tree which
 * it signs, that every personal value is the one the entry holds the digest of, and that an older checkpoint is
 * continued.
 */
export function verifyLogFile(file: unknown, options: VerifyLogOptions = {}): LogVerification {
  const parsed = parseFile(file);
  if (typeof parsed === 'string') return failed('file', parsed);
  const checks: LogCheck[] = [
    { name: 'file', passed: true, detail: `An export of ${parsed.entries.length} entries.` },
  ];
  const add = (name: LogCheck['name'], run: () => string) => checks.push(check(name, run));

  let checkpoint: Checkpoint | undefined;
  add('checkpoint', () => {
    checkpoint = signedCheckpoint(parsed, options);
    return `Signed by ${parsed.verifierKey} for ${checkpoint.size} entries.`;
  });
  // Without a tree that somebody signed there is nothing that the rest could be held against.
  if (checkpoint) {
    const signed = checkpoint;
    const leaves = parsed.entries.map(leafOf);
    add('entries', () => ordered(parsed.entries, signed));
    add('salts', () => salts(parsed.entries));
    add('proofs', () => proofs(parsed.entries, leaves, signed));
    add('complete', () => completeness(parsed.entries, signed, options));
    const { since } = options;
    if (since !== undefined) add('since', () => continues(parsed, leaves, signed, since));
  }
  return {
    valid: checks.every(({ passed }) => passed),
    checks,
    unverified: limits(parsed, checkpoint, options),
  };
}

interface FileEntry {
  readonly index: number;
  readonly entry: JsonObject;
  readonly salts: Record<string, unknown>;
  readonly proof: readonly string[];
}

interface ParsedFile {
  readonly origin: string;
  readonly verifierKey: string;
  readonly checkpoint: string;
  readonly entries: readonly FileEntry[];
}

/** A failed check says why by throwing. */
class Failure extends Error {}

function check(name: LogCheck['name'], run: () => string): LogCheck {
  try {
    return { name, passed: true, detail: run() };
  } catch (thrown) {
    return { name, passed: false, detail: messageOf(thrown) };
  }
}

const failed = (name: LogCheck['name'], detail: string): LogVerification => ({
  valid: false,
  checks: [{ name, passed: false, detail }],
  unverified: [],
});

function parseFile(file: unknown): ParsedFile | string {
  const found = find(file);
  if (!found)
    return 'This is not an export of the activity log: a JSON object with `checkpoint` and `entries`.';
  const { origin, verifier_key: verifierKey, checkpoint, entries } = found;
  if (typeof origin !== 'string' || typeof verifierKey !== 'string' || typeof checkpoint !== 'string')
    return '`origin`, `verifier_key` and `checkpoint` must be strings.';
  if (!Array.isArray(entries)) return '`entries` must be a list.';
  const wrong = entries.findIndex((entry) => !isFileEntry(entry));
  if (wrong >= 0) return `entries[${wrong}] must have \`index\`, \`entry\`, \`salts\` and \`proof\`.`;
  return { origin, verifierKey, checkpoint, entries: entries as FileEntry[] };
}

/** The export itself, or the one in a GraphQL answer. */
function find(file: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(file)) return undefined;
  if ('checkpoint' in file && 'entries' in file) return file;
  const data = file['data'];
  return isJsonObject(data)
    ? Object.values(data)
        .map(find)
        .find((found) => found)
    : undefined;
}

function isFileEntry(value: unknown): value is FileEntry {
  if (!isJsonObject(value)) return false;
  const { index, entry, salts, proof } = value;
  return (
    Number.isSafeInteger(index) &&
    isJsonObject(entry) &&
    isJsonObject(salts) &&
    Array.isArray(proof) &&
    proof.every((hash) => typeof hash === 'string')
  );
}

function signedCheckpoint(file: ParsedFile, { verifierKey: expected }: VerifyLogOptions): Checkpoint {
  const key = parseVerifierKey(file.verifierKey);
  if (!key) throw new Failure('The verifier key is malformed.');
  if (expected !== undefined && expected !== file.verifierKey) {
    throw new Failure(
      parseVerifierKey(expected)
        ? 'The log is signed by another key than the expected one.'
        : 'The expected verifier key is malformed.',
    );
  }
  if (key.name !== file.origin)
    throw new Failure('The verifier key is named after another log than the file.');
  const checkpoint = openCheckpoint(file.checkpoint, key);
  if (!checkpoint) throw new Failure('The checkpoint is malformed, or not signed by the verifier key.');
  return checkpoint;
}

/** A leaf that no log can have, for an entry that has no canonical form: its proof leads nowhere. */
const NO_LEAF = new Uint8Array(0);

function leafOf({ entry }: FileEntry): Uint8Array {
  try {
    return leafHash(canonicalJson(entry));
  } catch {
    return NO_LEAF;
  }
}

function ordered(entries: readonly FileEntry[], { size }: Checkpoint): string {
  let behind = -1;
  for (const { index } of entries) {
    if (index < 0 || index >= size)
      throw new Failure(`Entry ${index} is none of the ${size} that the checkpoint counts.`);
    if (index === behind) throw new Failure(`Entry ${index} is there twice.`);
    if (index < behind)
      throw new Failure(`Entry ${index} stands behind entry ${behind}: the order is not the log’s.`);
    behind = index;
  }
  return 'The entries stand in the order of the log, each once.';
}

function salts(entries: readonly FileEntry[]): string {
  let opened = 0;
  for (const { index, entry, salts } of entries) {
    for (const [pointer, opening] of Object.entries(salts)) {
      const digest = valueAt(entry, pointer);
      if (!isDigest(digest)) throw new Failure(`Entry ${index} holds no digest at ${pointer}.`);
      const { salt, value } = isJsonObject(opening) ? opening : {};
      const bytes = typeof salt === 'string' ? base64.decode(salt) : undefined;
      if (!bytes || typeof value !== 'string')
        throw new Failure(`The salt of entry ${index} at ${pointer} is malformed.`);
      if (hex.encode(sha256(bytes, value)) !== digest.sha256)
        throw new Failure(`The value of entry ${index} at ${pointer} is not the one that was logged.`);
      opened += 1;
    }
  }
  return `${opened} personal values are the ones that were logged.`;
}

function proofs(
  entries: readonly FileEntry[],
  leaves: readonly Uint8Array[],
  { size, root }: Checkpoint,
): string {
  const verify = inclusionVerifier(size, root);
  // Neighbours share most of their proofs: what was decoded for one is there for the next.
  let [texts, hashes]: [readonly string[], readonly Uint8Array[]] = [[], []];
  for (const [at, { index, proof }] of entries.entries()) {
    const ahead = proof.length - texts.length;
    const decoded = proof.map((text, position) => {
      const known = position - ahead;
      return texts[known] === text ? hashes[known]! : base64.decode(text);
    });
    if (!decoded.every((hash) => hash !== undefined))
      throw new Failure(`The proof of entry ${index} is not base64.`);
    if (!verify(index, leaves[at]!, decoded)) {
      throw new Failure(
        `Entry ${index} is not the one that was logged there: its proof does not lead to the checkpoint.`,
      );
    }
    [texts, hashes] = [proof, decoded];
  }
  return `${entries.length} entries stand in the signed tree, each at its index.`;
}

function completeness(
  entries: readonly FileEntry[],
  { size }: Checkpoint,
  { complete }: VerifyLogOptions,
): string {
  if (entries.length === size) return `All ${size} entries of the log are here.`;
  const found = `${entries.length} of ${size} entries are here`;
  if (complete) throw new Failure(`${found}: the others were left out.`);
  return `${found}; the export is of a part, or the others were left out.`;
}

function continues(file: ParsedFile, leaves: readonly Uint8Array[], now: Checkpoint, since: string): string {
  const older = openCheckpoint(since, parseVerifierKey(file.verifierKey)!);
  if (!older) throw new Failure('The older checkpoint is malformed, or not signed by the key of this log.');
  if (older.size > now.size) {
    throw new Failure(`The log had ${older.size} entries before and has ${now.size} now: it was cut off.`);
  }
  const first = file.entries.slice(0, older.size);
  if (older.size < now.size && (first.length < older.size || first.at(-1)?.index !== older.size - 1)) {
    throw new Failure(
      `This needs the first ${older.size} entries of the log, and the file does not have them all.`,
    );
  }
  const root = older.size === now.size ? now.root : treeOf(leaves.slice(0, older.size));
  if (!equalBytes(root, older.root)) {
    throw new Failure(
      `The first ${older.size} entries are not those of the older checkpoint: the history was forked.`,
    );
  }
  return `The log continues the older checkpoint of ${older.size} entries.`;
}

function treeOf(leaves: readonly Uint8Array[]): Uint8Array {
  const appender = tileAppender(0, []);
  for (const leaf of leaves) appender.append(leaf);
  return appender.root();
}

function limits(file: ParsedFile, checkpoint: Checkpoint | undefined, options: VerifyLogOptions): string[] {
  return [
    ...(options.verifierKey === undefined
      ? ['Whose key signed the checkpoint: compare it with the one your organization publishes (--key).']
      : []),
    ...(options.since === undefined
      ? ['That the log was never rewritten: keep checkpoints, and compare (--since).']
      : []),
    ...(checkpoint && file.entries.length < checkpoint.size
      ? ['What the entries say that are not here, and that an export of a part left none of its own out.']
      : []),
    'That actions were logged as they happened: a log shows that what it says was not changed since.',
  ];
}

/** RFC 6901. */
function valueAt(entry: JsonObject, pointer: string): JsonValue | undefined {
  const [before, ...tokens] = pointer.split('/');
  if (before !== '') return undefined;
  let current: JsonValue | undefined = entry;
  for (const token of tokens) {
    const member: string = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, member)) return undefined;
    current = (current as JsonObject)[member];
  }
  return current;
}

function isDigest(value: unknown): value is { readonly sha256: string } {
  return isJsonObject(value) && Object.keys(value).length === 1 && typeof value['sha256'] === 'string';
}
