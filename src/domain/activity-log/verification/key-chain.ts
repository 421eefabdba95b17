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

/** A key of a log, as the log's own changes of keys tell. */
export interface ChainedKey {
  /** C2SP. */
  readonly verifierKey: string;
  /** Index of the entry that replaced it; undefined for the last key. */
  readonly replacedAt?: number;
  /** The same, of a key that was declared lost. It did not name its successor, which nobody before vouches for. */
  readonly lostAt?: number;
  /** What only this key signed of this index or later is not to be believed. */
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
      throw new CheckFailed('The changes of keys are not in the order of the log. Export the log again.');
    before = index;
    const { statement, note } = statementOf(origin, change);
    if (statement.type === 'signing_key.compromised') addCompromise(keys, index, statement, note);
    else addSuccessor(keys, index, statement, note);
  }
  if (keys.length === 0) return [{ verifierKey: last }];
  if (keys.at(-1)!.verifierKey !== last)
    throw new CheckFailed(
      'The changes of keys lead to another key than the one that signed the checkpoint. Export the log again.',
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
      `Entry ${index} is not a change of the keys of this log. Export the log again; if that does not help, keep the file and ask your organization.`,
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
      `Entry ${index} replaces another key than the last one: a change of keys is missing. Export the log again.`,
    );
  if (keys.some(({ verifierKey }) => verifierKey === next))
    throw new CheckFailed(
      `Entry ${index} goes back to a key that was replaced. Do not trust it, and ask your organization.`,
    );
  const isLoss = type === 'signing_key.lost';
  if (isLoss && !isSignedBy(note, next))
    throw new CheckFailed(
      `The loss in entry ${index} is not signed by the new key. Do not trust that key, and ask your organization.`,
    );
  if (!isLoss && (!isSignedBy(note, previous) || !isSignedBy(note, next)))
    throw new CheckFailed(
      `The rotation in entry ${index} is not signed by the key that it replaces and by the new one. Do not trust the new key, and ask your organization.`,
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
      `Entry ${index} declares a key compromised that the log has not replaced. A change of keys is missing: export the log again.`,
    );
  if (fromIndex > index || !isSignedBy(note, keys.at(-1)!.verifierKey))
    throw new CheckFailed(
      `The compromise in entry ${index} is not signed by the key that was in use. Do not trust it, and ask your organization.`,
    );
  const { compromisedFrom = fromIndex } = keys[at]!;
  keys[at] = { ...keys[at]!, compromisedFrom: Math.min(compromisedFrom, fromIndex) };
}

/** @throws {CheckFailed} if an entry changes the keys but its index is not in the file's list of changes. */
export function requireListed({ index, entry }: FileEntry, listed: ReadonlySet<number>): void {
  if (isKeyChange(entry) && !listed.has(index))
    throw new CheckFailed(
      `Entry ${index} changes the keys of the log, and the file leaves it out of its changes. Export the log again.`,
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

/** @throws {CheckFailed} where a change of keys is not in the tree that the checkpoint signs. */
export function requireLogged(checkpoint: Checkpoint, changes: readonly FileEntry[]): void {
  const isShown = isShownBy(checkpoint);
  for (const change of changes) {
    if (!isShown(change))
      throw new CheckFailed(
        `The change of keys in entry ${change.index} is not in the log: its proof does not lead to the checkpoint. Do not trust its key, and ask your organization.`,
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
 * Which of the keys is the one that is known from elsewhere.
 *
 * @throws {CheckFailed} where none is.
 */
export function indexOfExpected(keys: readonly ChainedKey[], expected: string): number {
  const parsed = parseVerifierKey(expected);
  if (!parsed)
    throw new CheckFailed(
      'The expected verifier key is malformed: it is a name, the id of the key, and base64 of 33 bytes. Copy the whole key again.',
    );
  if (!isOfSameOrganization(parsed.name, parseVerifierKey(keys[0]!.verifierKey)!.name))
    throw new CheckFailed(
      'The expected verifier key is that of another organization than the log. Give the key of this one, or get the log of the other.',
    );
  const at = keys.findIndex(({ verifierKey }) => isSameKey(verifierKey, expected));
  if (at < 0)
    throw new CheckFailed(
      keys.length === 1
        ? 'The log is signed by another key than the expected one.'
        : 'The log is signed by other keys than the expected one, and none of their changes leads from it.',
    );
  const broken = breakAfter(keys, at);
  if (broken !== undefined)
    throw new CheckFailed(
      `The chain of keys is broken after the expected one: entry ${broken} says that its key was lost, which anyone could have written. Get the key of today from your organization itself, and pass that one.`,
    );
  return at;
}

/** Index of the first entry by which a key from this place on was lost; `undefined` where each named its successor. */
export const breakAfter = (keys: readonly ChainedKey[], at: number): number | undefined =>
  keys.slice(at).find(({ lostAt }) => lostAt !== undefined)?.lostAt;

/** What the keys before a break cannot prove: only a reader with the current key from another source knows it. */
export function limitsOfBreaks(keys: readonly ChainedKey[]): string[] {
  return keys.flatMap(({ lostAt }) =>
    lostAt === undefined
      ? []
      : [
          `That the key after entry ${lostAt} is your organization’s: the key before was declared lost, and did not name it. Compare the key of today with the one your organization publishes.`,
        ],
  );
}

/** A thief of the expected key, or of one after it, could have named a successor, too. */
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
    ? `That the expected key named its successor itself: it is declared compromised from index ${compromisedFrom} on, and was replaced by entry ${replacedAt}. Compare the key of today with the one your organization publishes.`
    : `That a key after the expected one named its successor itself: it is declared compromised from index ${compromisedFrom} on, and was replaced by entry ${replacedAt}. Compare the key of today with the one your organization publishes.`;
}

/** Why a checkpoint of `size` entries that these keys signed is not to be believed; `undefined` where it is. */
export function distrust(signers: readonly ChainedKey[], size: number): string | undefined {
  const from = signers.map(({ compromisedFrom }) => compromisedFrom ?? Number.POSITIVE_INFINITY);
  const bound = Math.max(...from);
  if (size <= bound) return undefined;
  return `A checkpoint of ${size} entries is signed only by a key that was declared compromised from index ${bound} on. Use one of at most ${bound} entries, or one that a later key signed.`;
}
