import {
  borderTiles,
  consistencyRanges,
  EMPTY_ROOT,
  isConsistent,
  openCheckpoint,
  rangeHash,
  signCheckpoint,
  tileAppender,
  type Checkpoint,
} from '../crypto/index.js';
import { sql, type Foundation, type Transaction } from '../database/index.js';
import { equalBytes } from '../kernel/bytes.js';
import type { Id } from '../kernel/ids.js';
import { readTiles, writeTiles } from './log-tiles.js';
import { organizationSigner } from './signing-key.js';

/** What is stored of a log contradicts what was signed of it. Nothing is signed until a person has looked. */
export class InconsistentLog extends Error {
  override readonly name = 'InconsistentLog';
}

/** Told after entries of the organization's log were given their indexes. */
export const logTopic = (organizationId: Id<'org'>) => `log:${organizationId}`;

/** Entries of one transaction, and so of one checkpoint. */
export const SEQUENCER_BATCH = 1_000;

/**
 * Gives the organization's waiting entries their indexes, and signs the checkpoint of the log with them: all of it
 * commits, or nothing. Returns how many entries; 0, too, while another sequencer has the log.
 *
 * What is visible and has no index is next, in the order it was written. A transaction that commits late is visible
 * late and is not passed over: no gap in `sequence` means anything. Whatever began after an entry was committed stands
 * behind it.
 */
export async function sequenceEntries(
  foundation: Foundation,
  log: { readonly organizationId: Id<'org'>; readonly publicHost: string },
  limit = SEQUENCER_BATCH,
): Promise<number> {
  const { organizationId } = log;
  return foundation.database.transaction(async (transaction) => {
    const now = foundation.clock.now();
    const origin = await lockLog(transaction, log, now);
    if (origin === undefined) return 0;
    const signer = await organizationSigner(transaction, foundation.sealer, organizationId, now);
    const key = { ...signer, name: origin };
    const last = await lastCheckpoint(transaction, organizationId, key);
    const appender = tileAppender(last.size, await borderOf(transaction, organizationId, last));

    const leaves = await claimLeaves(transaction, organizationId, last.size, limit);
    if (leaves.length === 0) return 0;
    for (const leaf of leaves) appender.append(leaf);

    const next = { origin, size: appender.size, root: appender.root() };
    const proof = consistencyRanges(last.size, next.size).map((range) => rangeHash(range, appender.nodes));
    if (!isConsistent(last, next, proof))
      throw new InconsistentLog('The log would not continue its checkpoint.');
    await writeTiles(transaction, organizationId, appender.changed());
    await transaction.rows(sql`
      insert into log_checkpoints (organization_id, size, root, note, signed_at)
      values (${organizationId}, ${next.size}, ${next.root}, ${signCheckpoint(next, key)}, ${now})`);
    transaction.afterCommit(() => foundation.signals.publish(logTopic(organizationId)));
    return leaves.length;
  });
}

/** The origin of the log, which is this transaction's until it ends; `undefined` while it is another's. */
async function lockLog(
  transaction: Transaction,
  { organizationId, publicHost }: { readonly organizationId: Id<'org'>; readonly publicHost: string },
  now: Date,
): Promise<string | undefined> {
  await transaction.rows(sql`
    insert into activity_logs (organization_id, origin, created_at)
    values (${organizationId}, ${`${publicHost}/log/${organizationId}`}, ${now}) on conflict do nothing`);
  const [row] = await transaction.rows(sql<{ origin: string }>`
    select origin from activity_logs where organization_id = ${organizationId} for update skip locked`);
  return row?.origin;
}

/** Keeps sequencers off the organization's log until the transaction ends, waiting for one that has it. */
export async function holdLog(transaction: Transaction, organizationId: Id<'org'>): Promise<void> {
  await transaction.rows(sql`
    select origin from activity_logs where organization_id = ${organizationId} for update`);
}

/** The newest checkpoint of the log, read out of its own signed note; the empty tree before there is one. */
async function lastCheckpoint(
  transaction: Transaction,
  organizationId: Id<'org'>,
  key: { readonly name: string; readonly publicKey: Uint8Array },
): Promise<Checkpoint> {
  const [row] = await transaction.rows(sql<{ size: number; root: Uint8Array; note: string }>`
    select size, root, note from log_checkpoints
    where organization_id = ${organizationId} order by size desc limit 1`);
  if (!row) return { origin: key.name, size: 0, root: EMPTY_ROOT };
  const signed = openCheckpoint(row.note, key);
  if (!signed) throw new InconsistentLog('The newest checkpoint is not signed by the organization’s key.');
  if (signed.size !== row.size || !equalBytes(signed.root, row.root)) {
    throw new InconsistentLog('The newest checkpoint was signed for another tree than it is stored for.');
  }
  return signed;
}

/** The border tiles of the tree that was signed last: they, and nothing else, decide its root. */
async function borderOf(transaction: Transaction, organizationId: Id<'org'>, last: Checkpoint) {
  const tiles = await readTiles(transaction, organizationId, borderTiles(last.size));
  const root = rootOf(last.size, tiles);
  if (!root || !equalBytes(root, last.root)) {
    throw new InconsistentLog('The tiles do not have the root that was signed last.');
  }
  return tiles;
}

function rootOf(size: number, tiles: Awaited<ReturnType<typeof readTiles>>): Uint8Array | undefined {
  try {
    return tileAppender(size, tiles).root();
  } catch {
    // A tile is missing or cut short.
    return undefined;
  }
}

/** The leaf hashes of the waiting entries in the order of their new indexes, which start at `size`. */
async function claimLeaves(
  transaction: Transaction,
  organizationId: Id<'org'>,
  size: number,
  limit: number,
): Promise<Uint8Array[]> {
  const rows = await transaction.rows(sql<{ index: number; leaf: Uint8Array }>`
    with waiting as (
      select id, sequence from activity_entries
      where organization_id = ${organizationId} and log_index is null order by sequence limit ${limit}
    ), numbered as (
      select id, row_number() over (order by sequence) - 1 + ${size}::bigint as log_index from waiting
    )
    update activity_entries set log_index = numbered.log_index
    from numbered where activity_entries.id = numbered.id
    returning activity_entries.log_index as "index", activity_entries.leaf_hash as leaf`);
  return rows.sort((one, other) => one.index - other.index).map(({ leaf }) => leaf);
}
