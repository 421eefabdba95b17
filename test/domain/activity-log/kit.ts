import {
  logSigningKeys,
  personal,
  recordActivity,
  type Activity,
  type SequencerMetrics,
  type SequencingFailure,
} from '../../../src/domain/activity-log/index.js';
import { sequenceAll } from '../../kit/sequence-all.js';
import {
  inclusionRanges,
  leafHash,
  nodesFrom,
  openCheckpoint,
  parseVerifierKey,
  rangeHash,
  tileAppender,
  tilesOf,
  type Checkpoint,
} from '../../../src/platform/crypto/index.js';
import { rootOfInclusion } from '../../kit/root-of-inclusion.js';
import { readTiles } from '../../../src/domain/activity-log/sequencing/log-tiles.js';
import { sql, type Database, type Foundation } from '../../../src/platform/database/index.js';
import { newId, type Id } from '../../../src/platform/kernel/ids.js';
import { canonicalJson, type JsonObject } from '../../../src/platform/kernel/encoding/json.js';

export const PUBLIC_HOST = 'lucarne.example';

/** Counts what the sequencer reports. */
export function countingMetrics() {
  const failures: SequencingFailure[] = [];
  const counts = { sequenced: 0 };
  const metrics: SequencerMetrics = {
    entriesSequenced: (count) => void (counts.sequenced += count),
    sequencingFailed: (reason) => void failures.push(reason),
  };
  return { metrics, failures, counts };
}

/** Sequences everything that waits, and returns the failures. */
export async function sequence(
  foundation: Foundation,
  publicHost = PUBLIC_HOST,
): Promise<SequencingFailure[]> {
  const { metrics, failures } = countingMetrics();
  await sequenceAll({ foundation, publicHost, metrics });
  return failures;
}

/** Completed actions of one user, each in a separate transaction. */
export async function act(
  foundation: Foundation,
  organizationId: Id<'org'>,
  count = 1,
  activity: Partial<Activity> = {},
): Promise<Id<'log'>[]> {
  const ids: Id<'log'>[] = [];
  for (let number = 0; number < count; number += 1) {
    ids.push(
      await foundation.database.transaction((transaction) =>
        recordActivity(transaction, {
          organizationId,
          eventType: 'asset.created',
          actor: { id: newId('usr'), name: 'Ana Auditor' },
          object: { type: 'asset', id: newId('ast'), contact: personal('ana@example.test') },
          details: { number, text: 'é → ∞', nested: [{ b: 1, a: null }] },
          at: foundation.clock.now(),
          ...activity,
        }),
      ),
    );
  }
  return ids;
}

export interface LoggedEntry {
  readonly id: Id<'log'>;
  readonly index: number | null;
  readonly entry: JsonObject;
}

export function loggedEntries(database: Database, organizationId: Id<'org'>): Promise<LoggedEntry[]> {
  return database.rows(sql<LoggedEntry>`
    select id, log_index as "index", entry from activity_entries
    where organization_id = ${organizationId} order by log_index, sequence`);
}

/** Every checkpoint that was ever signed for the organization's log, as its readers open it. */
export async function signedCheckpoints(
  database: Database,
  organizationId: Id<'org'>,
): Promise<Checkpoint[]> {
  const keys = (await logSigningKeys(database, organizationId)).map(({ verifierKey }) =>
    parseVerifierKey(verifierKey)!,
  );
  const rows = await database.rows(sql<{ note: string }>`
    select note from log_checkpoints where organization_id = ${organizationId} order by size`);
  return rows.map(({ note }) => {
    const checkpoint = keys.map((key) => openCheckpoint(note, key)).find((opened) => opened !== undefined);
    if (!checkpoint) throw new Error('A stored checkpoint does not open.');
    return checkpoint;
  });
}

/** The faults of a log, as anyone with its rows can find them. Empty if it verifies. */
export async function faultsOfLog(database: Database, organizationId: Id<'org'>): Promise<string[]> {
  const faults: string[] = [];
  const sequenced = (await loggedEntries(database, organizationId)).filter(({ index }) => index !== null);
  const checkpoints = await signedCheckpoints(database, organizationId);
  const newest = checkpoints.at(-1)!;
  if (sequenced.length !== newest.size) faults.push(`${sequenced.length} entries, ${newest.size} signed`);
  const leaves = sequenced.map(({ entry }) => leafHash(canonicalJson(entry)));
  for (const [position, { index }] of sequenced.entries()) {
    if (index !== position) faults.push(`index ${index} at ${position}`);
    const ranges = inclusionRanges(position, newest.size);
    const nodes = nodesFrom(await readTiles(database, organizationId, tilesOf(ranges)));
    const proof = ranges.map((range) => rangeHash(range, nodes));
    const root = rootOfInclusion(position, newest.size, leaves[position]!, proof);
    if (!root || Buffer.compare(root, newest.root) !== 0) faults.push(`the proof of ${position} fails`);
  }
  // Each checkpoint must be the tree of the first entries, so none was signed for another history.
  for (const { size, root } of checkpoints) {
    if (Buffer.compare(treeOf(leaves.slice(0, size)), root) !== 0)
      faults.push(`checkpoint ${size} is of another history`);
  }
  return faults;
}

/** The root of a tree that is rebuilt from its leaves. */
function treeOf(leaves: readonly Uint8Array[]): Uint8Array {
  const appender = tileAppender(0, []);
  for (const leaf of leaves) appender.append(leaf);
  return appender.root();
}
