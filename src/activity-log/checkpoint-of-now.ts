import { setTimeout as pause } from 'node:timers/promises';
import { sql, type Foundation, type Reader } from '../database/index.js';
import { unavailable } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import { newestCheckpoint, type SignedCheckpoint } from './checkpoints.js';
import { sequenceEntries } from './sequence-entries.js';

const PAUSE_MILLISECONDS = 50;
/** In pauses behind another sequencer: about 30 s. */
const MOST_PAUSES = 600;

/**
 * A checkpoint that covers every entry committed before the call: what waits is sequenced first, here or by the
 * sequencer that has the log. `UNAVAILABLE` when the log cannot be continued in time.
 */
export async function checkpointOfNow(
  foundation: Foundation,
  log: { readonly organizationId: Id<'org'>; readonly publicHost: string },
  signal?: AbortSignal,
): Promise<SignedCheckpoint> {
  const { database } = foundation;
  const { organizationId } = log;
  const last = await lastSequence(database, organizationId);
  for (let pauses = 0; await isWaiting(database, organizationId, last);) {
    signal?.throwIfAborted();
    if ((await sequenceEntries(foundation, log)) > 0) continue;
    pauses += 1;
    if (pauses > MOST_PAUSES)
      throw unavailable('The activity log is not up to date.', { retryAfterSeconds: 30 });
    await pause(PAUSE_MILLISECONDS);
  }
  return newestCheckpoint(database, organizationId);
}

async function lastSequence(reader: Reader, organizationId: Id<'org'>): Promise<number> {
  const [row] = await reader.rows(sql<{ last: number }>`
    select coalesce(max(sequence), 0) as last from activity_entries where organization_id = ${organizationId}`);
  return row?.last ?? 0;
}

async function isWaiting(reader: Reader, organizationId: Id<'org'>, last: number): Promise<boolean> {
  const rows = await reader.rows(sql`
    select 1 from activity_entries
    where organization_id = ${organizationId} and log_index is null and sequence <= ${last} limit 1`);
  return rows.length > 0;
}
