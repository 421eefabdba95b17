import { openCheckpoint, parseVerifierKey, type Checkpoint } from '../../../platform/crypto/index.js';
import {
  isJsonObject,
  type JsonObject,
  parseUnambiguousJson,
} from '../../../platform/kernel/encoding/json.js';
import { CheckFailed, type KnownKeys, type NamedSignature } from '../../../platform/kernel/verification.js';
import { type FileEntry, isFileEntry } from './file-entry.js';
import {
  type ChainedKey,
  doubtOf,
  followKeys,
  indexOfExpected,
  isSameKey,
  isShownBy,
  limitsOfBreaks,
  requireListed,
  requireLogged,
} from './key-chain.js';
import { attempt } from '../../../platform/kernel/encoding/attempt.js';

interface KeyFile {
  readonly origin: string;
  readonly verifierKey: string;
  readonly checkpoint: string;
  readonly changes: readonly FileEntry[];
  /** The entries of an export, which show what was logged at which index. */
  readonly entries: readonly FileEntry[];
}

/**
 * Receipts are signed with the keys of the activity log, so its key changes lead from any of them to the others. `file` is
 * a parsed export of the log, or its checkpoint with `keyChanges` as GraphQL returns it; `expected` is a current or earlier
 * key of the organization from another source (C2SP, named after the log or after receipts).
 */
export function receiptKeys(file: unknown, expected?: string): KnownKeys {
  try {
    const parsed = parseKeyFile(file);
    const { checkpoint, keys } = followed(parsed);
    const expectedAt = expected === undefined ? undefined : indexOfExpected(keys, expected);
    const doubt = expectedAt === undefined ? undefined : doubtOf(keys, expectedAt);
    return {
      signerOf: (receipt) => signerOf(receipt, parsed, checkpoint, keys),
      unverified: [
        ...(doubt === undefined ? [] : [doubt]),
        ...(expectedAt === undefined ? limitsOfBreaks(keys) : []),
        ...(isWhole(parsed, checkpoint) ? [] : [OMISSION_LIMIT]),
        `Key changes after the ${checkpoint.size} entries that the key file covers.`,
      ],
    };
  } catch (thrown) {
    return {
      signerOf: () => {
        throw thrown;
      },
      unverified: [],
    };
  }
}

/** If a declaration is removed from the changes, a file without all entries shows no trace of it. */
export const OMISSION_LIMIT =
  'That the key file has all declarations of compromised keys. Get the file from the organization itself.';

function isWhole({ entries }: KeyFile, checkpoint: Checkpoint): boolean {
  const shows = isShownBy(checkpoint);
  return (
    entries.length === checkpoint.size &&
    entries.every((entry, index) => entry.index === index && shows(entry))
  );
}

function followed({ origin, verifierKey, checkpoint: note, changes, entries }: KeyFile) {
  const key = parseVerifierKey(verifierKey);
  const checkpoint = key?.name === origin ? openCheckpoint(note, key) : undefined;
  if (!checkpoint)
    throw new CheckFailed(
      'The checkpoint in the key file is malformed, or not signed by its verifier key. Export the log again.',
    );
  const keys = followKeys(origin, changes, verifierKey);
  requireLogged(checkpoint, changes);
  const listed = new Set(changes.map(({ index }) => index));
  for (const entry of entries) requireListed(entry, listed);
  return { checkpoint, keys };
}

function signerOf(
  { organizationId, verifierKey, signature }: NamedSignature,
  { origin, entries }: KeyFile,
  checkpoint: Checkpoint,
  keys: readonly ChainedKey[],
): string {
  if (!origin.endsWith(`/log/${organizationId}`))
    throw new CheckFailed(
      `The key file belongs to the log ${origin}, not to the log of the organization that the receipt names.`,
    );
  const at = keys.findIndex((key) => isSameKey(key.verifierKey, verifierKey));
  const { compromisedFrom } = keys[at] ?? {};
  if (at < 0)
    throw new CheckFailed(
      'None of the keys in the key file signed the receipt. If the receipt is newer than the key file, get a newer key file.',
    );
  if (compromisedFrom === undefined) {
    if (keys.length === 1) return 'Signed by the key in the key file.';
    return limitsOfBreaks(keys).length === 0
      ? `Signed by key ${at + 1} of ${keys.length} in the key file. Each key named the next one.`
      : `Signed by key ${at + 1} of ${keys.length} in the key file. The chain of keys is broken: a key that was declared lost named no successor.`;
  }
  const shows = isShownBy(checkpoint);
  const logged = entries.find(
    (entry) => entry.index < compromisedFrom && statedSignature(entry) === signature && shows(entry),
  );
  if (!logged)
    throw new CheckFailed(
      `The key of the receipt is declared compromised as of index ${compromisedFrom}, and the key file has no earlier entry of this receipt. Trust the receipt only if an export of the log has such an entry.`,
    );
  return `Signed by a key that is declared compromised as of index ${compromisedFrom}. The receipt was logged before that, at index ${logged.index}.`;
}

/** The signature that is stated in an entry of a disclosure or of an ended relay. */
function statedSignature({ entry }: FileEntry): unknown {
  const details = entry['details'];
  return isJsonObject(details) ? details['receipt_signature'] : undefined;
}

function parseKeyFile(file: unknown): KeyFile {
  const found = find(file);
  const origin = found?.['origin'];
  const verifierKey = found?.['verifier_key'] ?? found?.['verifierKey'];
  const checkpoint = found?.['checkpoint'] ?? found?.['note'];
  // A file without its key changes could hide one.
  const changes = listOf(found?.['key_changes'] ?? found?.['keyChanges']);
  const entries = listOf(found?.['entries'] ?? []);
  if (
    typeof origin !== 'string' ||
    typeof verifierKey !== 'string' ||
    typeof checkpoint !== 'string' ||
    !changes ||
    !entries
  )
    throw new CheckFailed(
      'The key file must be an export of the activity log, or a checkpoint with its key changes.',
    );
  return { origin, verifierKey, checkpoint, changes, entries };
}

/** The file itself, or the only member of a GraphQL answer. */
function find(file: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(file)) return undefined;
  const { data } = file;
  if (!isJsonObject(data)) return file;
  const [answer, ...more] = Object.values(data);
  return more.length === 0 && isJsonObject(answer) ? answer : undefined;
}

function listOf(value: unknown): readonly FileEntry[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const entries = value.map(asFileEntry);
  return entries.every((entry) => entry !== undefined) ? entries : undefined;
}

/** GraphQL returns the text of the entry, and calls its proof an inclusion. */
function asFileEntry(value: unknown): FileEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const { index, entry, salts = {}, proof = value['inclusion'] } = value;
  const read = { index, entry: typeof entry === 'string' ? parsed(entry) : entry, salts, proof };
  return isFileEntry(read) ? read : undefined;
}

function parsed(text: string): JsonObject | undefined {
  const value = attempt(() => parseUnambiguousJson(text));
  return isJsonObject(value) ? (value as JsonObject) : undefined;
}
