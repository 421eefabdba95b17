import {
  inclusionVerifier,
  leafHash,
  parseVerifierKey,
  type Checkpoint,
} from '../../../platform/crypto/index.js';
import { base64, equalBytes } from '../../../platform/kernel/encoding/bytes.js';
import { canonicalJson, isJsonObject } from '../../../platform/kernel/encoding/json.js';
import { CheckFailed, isOfSameOrganization } from '../../../platform/kernel/verification.js';
import { isSignedBy, KEY_CHANGES, type KeyStatement, readStatement } from '../key-statement.js';
import type { FileEntry } from './file-entry.js';

/** A key of a log, according to the key changes in the log. */
export interface ChainedKey {
  /** C2SP. */
  readonly verifierKey: string;
  /** Index of the entry that replaced it; undefined for the last key. */
  readonly replacedAt?: number;
  /** The same, for a key that was declared lost. It did not name its successor, so no earlier key proves the successor. */
  readonly lostAt?: number;
  /** Do not trust entries from this index on that only this key signed. */
  readonly compromisedFrom?: number;
}

const isKeyChange = (entry: FileEntry['entry']): boolean =>
  KEY_CHANGES.some((type) => type === entry['event_type']);

/**
 * Follows the key changes of a log, from the first to `last`: each rotation is signed by the replaced key and by the new
 * one, each loss only by the new one, each compromise by the key that was then current. Returns the keys, oldest first.
 *
 * @throws {CheckFailed}
 */
export function followKeys(origin: string, changes: readonly FileEntry[], last: string): ChainedKey[] {
  const keys: ChainedKey[] = [];
  let before = -1;
  for (const change of changes) {
    const { index } = change;
    if (index <= before)
      throw new CheckFailed('The key changes are not in the order of the log. Export the log again.');
    before = index;
    const { statement, note } = statementOf(origin, change);
    if (statement.type === 'signing_key.compromised') addCompromise(keys, index, statement, note);
    else addSuccessor(keys, index, statement, note);
  }
  if (keys.length === 0) return [{ verifierKey: last }];
  if (keys.at(-1)!.verifierKey !== last)
    throw new CheckFailed(
      'The key changes do not lead to the key that signed the checkpoint. Export the log again.',
    );
  return keys;
}

function statementOf(
  origin: string,
  { index, entry }: FileEntry,
): { readonly statement: KeyStatement; readonly note: string } {
  const type = KEY_CHANGES.find((known) => known === entry['event_type']);
  const details = entry['details'];
  const note = isJsonObject(details) ? details['statement'] : undefined;
  const statement =
    type !== undefined && typeof note === 'string' ? readStatement(note, origin, type) : undefined;
  if (!statement)
    throw new CheckFailed(
      `Entry ${index} is not a key change of this log. Export the log again. If that does not help, keep the file and ask your organization.`,
    );
  const named =
    statement.type === 'signing_key.compromised' ? [statement.key] : [statement.previous, statement.next];
  if (named.some((key) => parseVerifierKey(key)?.name !== origin))
    throw new CheckFailed(
      `Entry ${index} names a malformed verifier key. A key of this log has the log’s name and 32 bytes. Do not trust it, and ask your organization.`,
    );
  return { statement, note: note as string };
}

function addSuccessor(
  keys: ChainedKey[],
  index: number,
  { type, previous, next }: KeyStatement & { type: 'signing_key.rotated' | 'signing_key.lost' },
  note: string,
): void {
  if (keys.length === 0) keys.push({ verifierKey: previous });
  const replaced = keys.find(({ verifierKey }) => verifierKey === previous);
  if (replaced?.replacedAt !== undefined)
    throw new CheckFailed(
      `Entries ${replaced.replacedAt} and ${index} name two successors of the same key. Keep the file, and ask your organization which key is its own.`,
    );
  if (keys.at(-1) !== replaced || !replaced)
    throw new CheckFailed(
      `Entry ${index} does not replace the last key: a key change is missing. Export the log again.`,
    );
  if (keys.some(({ verifierKey }) => verifierKey === next))
    throw new CheckFailed(
      `Entry ${index} returns to a key that was already replaced. Do not trust it, and ask your organization.`,
    );
  const isLoss = type === 'signing_key.lost';
  if (isLoss && !isSignedBy(note, next))
    throw new CheckFailed(
      `The declaration of loss in entry ${index} is not signed by the new key. Do not trust that key, and ask your organization.`,
    );
  if (!isLoss && (!isSignedBy(note, previous) || !isSignedBy(note, next)))
    throw new CheckFailed(
      `The rotation in entry ${index} is not signed by both the old key and the new key. Do not trust the new key, and ask your organization.`,
    );
  keys[keys.length - 1] = { ...replaced, replacedAt: index, ...(isLoss && { lostAt: index }) };
  keys.push({ verifierKey: next });
}

function addCompromise(
  keys: ChainedKey[],
  index: number,
  { key, fromIndex }: KeyStatement & { type: 'signing_key.compromised' },
  note: string,
): void {
  const at = keys.findIndex(({ verifierKey }) => verifierKey === key);
  if (at < 0 || at === keys.length - 1)
    throw new CheckFailed(
      `Entry ${index} declares a key compromised that the log has not replaced: a key change is missing. Export the log again.`,
    );
  if (fromIndex > index || !isSignedBy(note, keys.at(-1)!.verifierKey))
    throw new CheckFailed(
      `The declaration of compromise in entry ${index} is not signed by the key that was in use. Do not trust it, and ask your organization.`,
    );
  const { compromisedFrom = fromIndex } = keys[at]!;
  keys[at] = { ...keys[at]!, compromisedFrom: Math.min(compromisedFrom, fromIndex) };
}

/** @throws {CheckFailed} if an entry changes the keys but its index is not in the file's list of changes. */
export function requireListed({ index, entry }: FileEntry, listed: ReadonlySet<number>): void {
  if (isKeyChange(entry) && !listed.has(index))
    throw new CheckFailed(
      `Entry ${index} changes the keys of the log, but the file does not list it as a key change. Export the log again.`,
    );
}

/** Returns whether the proof of an entry leads to the checkpoint. */
export function isShownBy({ size, root }: Checkpoint): (entry: FileEntry) => boolean {
  const shows = inclusionVerifier(size, root);
  return ({ index, entry, proof }) => {
    const hashes = proof.map((hash) => base64.decode(hash));
    return hashes.every((hash) => hash !== undefined) && shows(index, leafHash(canonicalJson(entry)), hashes);
  };
}

/** @throws {CheckFailed} if a key change is not in the tree that the checkpoint signs. */
export function requireLogged(checkpoint: Checkpoint, changes: readonly FileEntry[]): void {
  const isShown = isShownBy(checkpoint);
  for (const change of changes) {
    if (!isShown(change))
      throw new CheckFailed(
        `The key change in entry ${change.index} is not in the log: its proof does not match the checkpoint. Do not trust its key, and ask your organization.`,
      );
  }
}

/** Checkpoints and receipts name the same key of an organization differently. */
export function isSameKey(one: string, other: string): boolean {
  const [first, second] = [parseVerifierKey(one), parseVerifierKey(other)];
  if (!first || !second || !isOfSameOrganization(first.name, second.name)) return false;
  return equalBytes(first.publicKey, second.publicKey);
}

/**
 * Returns the index of the key that is known from another source.
 *
 * @throws {CheckFailed} if none of the keys is.
 */
export function indexOfExpected(keys: readonly ChainedKey[], expected: string): number {
  const parsed = parseVerifierKey(expected);
  if (!parsed)
    throw new CheckFailed(
      'The expected verifier key is malformed. It must be a name, a key id, and 33 bytes in base64. Copy the whole key again.',
    );
  if (!isOfSameOrganization(parsed.name, parseVerifierKey(keys[0]!.verifierKey)!.name))
    throw new CheckFailed(
      'The expected verifier key and the log belong to different organizations. Pass the key of the organization that owns the log.',
    );
  const at = keys.findIndex(({ verifierKey }) => isSameKey(verifierKey, expected));
  if (at < 0)
    throw new CheckFailed(
      keys.length === 1
        ? 'The log is not signed by the expected key.'
        : 'None of the keys that signed the log is the expected key.',
    );
  const broken = breakAfter(keys, at);
  if (broken !== undefined)
    throw new CheckFailed(
      `The chain of keys is broken after the expected key. Entry ${broken} declares a key lost, and anyone could have written that entry. Get the current key from your organization itself, and pass that key.`,
    );
  return at;
}

/** The index of the first entry that declares a key at this position or later lost; `undefined` if each named its successor. */
export const breakAfter = (keys: readonly ChainedKey[], at: number): number | undefined =>
  keys.slice(at).find(({ lostAt }) => lostAt !== undefined)?.lostAt;

/** What the keys before a break cannot prove: only a reader with the current key from another source knows it. */
export function limitsOfBreaks(keys: readonly ChainedKey[]): string[] {
  return keys.flatMap(({ lostAt }) =>
    lostAt === undefined
      ? []
      : [
          `That the key used after entry ${lostAt} belongs to your organization. The key before it was declared lost and did not name it. Compare the current key with the one your organization publishes.`,
        ],
  );
}

/** A thief of the expected key, or of a later key, could also have named a successor. */
export function doubtOf(keys: readonly ChainedKey[], expectedAt: number): string | undefined {
  const at = keys.findIndex(
    ({ replacedAt, compromisedFrom }, index) =>
      index >= expectedAt &&
      replacedAt !== undefined &&
      compromisedFrom !== undefined &&
      compromisedFrom <= replacedAt,
  );
  if (at < 0) return undefined;
  const { replacedAt, compromisedFrom } = keys[at]!;
  return at === expectedAt
    ? `That your organization chose the key after the expected key. The expected key is declared compromised as of index ${compromisedFrom}, and entry ${replacedAt} replaced it. Compare the current key with the one your organization publishes.`
    : `That your organization chose all keys after the expected key. A later key is declared compromised as of index ${compromisedFrom}, and entry ${replacedAt} replaced it. Compare the current key with the one your organization publishes.`;
}

/** Why not to trust a checkpoint of `size` entries that these keys signed; `undefined` if there is no reason. */
export function distrust(signers: readonly ChainedKey[], size: number): string | undefined {
  const from = signers.map(({ compromisedFrom }) => compromisedFrom ?? Number.POSITIVE_INFINITY);
  const bound = Math.max(...from);
  if (size <= bound) return undefined;
  return `The only key that signed the checkpoint of ${size} entries is declared compromised as of index ${bound}. Use a checkpoint of at most ${bound} entries, or one that a later key signed.`;
}
