import {
  type Checkpoint,
  isConsistent,
  leafHash,
  MissingTile,
  openCheckpoint,
  parseVerifierKey,
  verifierKey,
} from '../../../platform/crypto/index.js';
import { query, type Reader, sql } from '../../../platform/database/index.js';
import { equalBytes } from '../../../platform/kernel/encoding/bytes.js';
import { canonicalJson } from '../../../platform/kernel/encoding/json.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { pointersOfOtherValues } from '../personal-values.js';
import { findCheckpoint, type SignedCheckpoint } from './checkpoints.js';
import { consistencyProof, leafHashes } from './log-proofs.js';
import { InconsistentLog, requireHead } from './sequence-entries.js';
import { signingKeysOf } from './signing-key.js';

const ENTRIES_LOOKED_AT = 256;

export interface StoredLog {
  readonly organizationId: Id<'org'>;
  readonly origin: string;
  /** False while its first entries wait for a key. */
  readonly hasCheckpoint: boolean;
}

/** The logs of the database, by organization. */
export function logsOf(reader: Reader): Promise<StoredLog[]> {
  return reader.rows(
    query
      .selectFrom('activity_logs')
      .select(['organization_id as organizationId', 'origin'])
      .select((build) =>
        build
          .exists(
            build
              .selectFrom('log_checkpoints')
              .select('size')
              .whereRef('log_checkpoints.organization_id', '=', 'activity_logs.organization_id'),
          )
          .$castTo<boolean>()
          .as('hasCheckpoint'),
      )
      .orderBy('organization_id'),
  );
}

/**
 * Whether the stored log matches its last checkpoint: its signature, the root of its tiles, and its newest entries, which a
 * damaged or restored database would lose first. Returns a sentence about the problem.
 */
export async function examineLog(reader: Reader, organizationId: Id<'org'>): Promise<string | undefined> {
  const beyond = await firstBeyondCheckpoints(reader, organizationId);
  if (beyond !== undefined)
    return `Entry ${beyond} has an index, but no checkpoint covers it: one was deleted.`;
  const head = await findCheckpoint(reader, organizationId);
  if (!head) return undefined;
  try {
    await requireHead(reader, organizationId, {
      name: head.origin,
      publicKey: await currentKey(reader, organizationId),
    });
    return await sayWhatIsMissing(head.origin, () => examineEntries(reader, organizationId, head));
  } catch (thrown) {
    if (thrown instanceof InconsistentLog) return thrown.message;
    throw thrown;
  }
}

/** The first entry with an index that no stored checkpoint covers. Both are written in one transaction, and read in one statement. */
async function firstBeyondCheckpoints(
  reader: Reader,
  organizationId: Id<'org'>,
): Promise<number | undefined> {
  const covered = query
    .selectFrom('log_checkpoints')
    .select((build) => build.fn.max('size').as('size'))
    .where('organization_id', '=', organizationId);
  const [entry] = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select('log_index as index')
      .where('organization_id', '=', organizationId)
      .where('log_index', '>=', (build) => build.fn.coalesce(covered, sql<number>`0`))
      .orderBy('log_index')
      .limit(1),
  );
  return entry?.index ?? undefined;
}

/**
 * Checks that the names and addresses in the newest entries are the logged ones. The signed tree contains only their digests,
 * so that they can be erased. Returns a sentence about the newest value that differs.
 */
export async function examinePersonalValues(
  reader: Reader,
  organizationId: Id<'org'>,
): Promise<string | undefined> {
  const rows = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(['log_index as index', 'entry', 'salts'])
      .where('organization_id', '=', organizationId)
      .where('log_index', 'is not', null)
      .orderBy('log_index', 'desc')
      .limit(ENTRIES_LOOKED_AT),
  );
  for (const { index, entry, salts } of rows) {
    const [pointer] = pointersOfOtherValues(entry, salts);
    if (pointer !== undefined)
      return `The value of entry ${index} at ${pointer} is not the one that was logged.`;
  }
  return undefined;
}

async function currentKey(reader: Reader, organizationId: Id<'org'>): Promise<Uint8Array> {
  const [newest] = await signingKeysOf(reader, organizationId);
  return newest?.publicKey ?? new Uint8Array(0);
}

async function examineEntries(
  reader: Reader,
  organizationId: Id<'org'>,
  { size }: SignedCheckpoint,
): Promise<string | undefined> {
  const rows = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(['log_index as index', 'entry'])
      .where('organization_id', '=', organizationId)
      // Not those that a gateway has sequenced since the checkpoint was read.
      .where('log_index', '<', size)
      .orderBy('log_index', 'desc')
      .limit(ENTRIES_LOOKED_AT),
  );
  if (rows[0]?.index !== size - 1)
    return `The last checkpoint covers ${size} entries, but the newest stored entry has index ${rows[0]?.index ?? 'none'}.`;
  const missing = rows.findIndex(({ index }, at) => index !== size - 1 - at);
  if (missing !== -1) return `Entry ${size - 1 - missing} is missing.`;
  const indexes = rows.map(({ index }) => index!);
  const signed = await leafHashes(reader, organizationId, indexes);
  const changed = rows.find(({ entry }, at) => !equalBytes(signed[at]!, leafHash(canonicalJson(entry))));
  if (changed) return `Entry ${changed.index} differs from the one that was signed.`;
  return undefined;
}

/**
 * Whether the stored logs continue a saved checkpoint. A database that was restored from a backup and used since does not.
 * Returns a sentence about the problem and its fix.
 */
export async function examineKept(reader: Reader, note: string): Promise<string | undefined> {
  const origin = note.slice(0, note.indexOf('\n'));
  const log = (await logsOf(reader)).find((stored) => stored.origin === origin);
  if (!log)
    return 'The checkpoint belongs to no log of this database. Use a checkpoint of an organization of this database.';
  const { organizationId } = log;
  const head = await findCheckpoint(reader, organizationId);
  const keys = (await signingKeysOf(reader, organizationId)).flatMap(({ publicKey, compromisedFrom }) => {
    const key = parseVerifierKey(verifierKey(origin, publicKey))!;
    const opened = openCheckpoint(note, key);
    return opened ? [{ opened, compromisedFrom }] : [];
  });
  const kept = keys[0]?.opened;
  if (!head || !kept)
    return 'The checkpoint is malformed, or no key of this log signed it. Keep it, and find out where it came from.';
  const isDisowned = keys.every(
    ({ compromisedFrom }) => compromisedFrom !== null && kept.size > compromisedFrom,
  );
  if (isDisowned)
    return `The key of the checkpoint is declared compromised as of index ${keys[0]!.compromisedFrom}, and the checkpoint covers ${kept.size} entries. Use a smaller or a newer checkpoint.`;
  if (kept.size > head.size)
    return `The checkpoint covers ${kept.size} entries of ${origin}, but only ${head.size} are stored: entries were lost. ${RESTORED}`;
  return sayWhatIsMissing(origin, async () =>
    (await continues(reader, organizationId, kept, head))
      ? undefined
      : `The stored log of ${origin} does not continue the checkpoint: two logs with the same name were signed. ${RESTORED}`,
  );
}

async function continues(
  reader: Reader,
  organizationId: Id<'org'>,
  kept: Checkpoint,
  head: SignedCheckpoint,
): Promise<boolean> {
  if (kept.size === head.size) return equalBytes(kept.root, head.root);
  const proof = kept.size === 0 ? [] : await consistencyProof(reader, organizationId, kept.size, head.size);
  return isConsistent(kept, head, proof);
}

async function sayWhatIsMissing(
  origin: string,
  look: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await look();
  } catch (thrown) {
    if (thrown instanceof MissingTile) return `A part of the tree of ${origin} is missing. ${thrown.message}`;
    throw thrown;
  }
}

const RESTORED = 'If the database was restored from a backup, see “After a restore” in docs/operate.md.';
