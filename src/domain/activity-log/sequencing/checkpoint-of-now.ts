import { query, type Foundation, type Reader } from '../../../platform/database/index.js';
import { waitUntil } from '../../../platform/jobs/index.js';
import { unavailable } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { newestCheckpoint, type SignedCheckpoint } from './checkpoints.js';
import { sequenceEntries } from './sequence-entries.js';

const PAUSE_MS = 50;
/** The wait while another sequencer holds the log: about 30 s. */
const MAX_PAUSES = 600;

/**
 * A checkpoint that covers every entry committed before the call. Waiting entries are sequenced first, here or by the
 * sequencer that holds the log.
 *
 * @throws `UNAVAILABLE` if they cannot be sequenced in time.
 */
export async function checkpointOfNow(
  foundation: Foundation,
  log: { readonly organizationId: Id<'org'>; readonly publicHost: string },
  signal?: AbortSignal,
): Promise<SignedCheckpoint> {
  const { database } = foundation;
  const { organizationId } = log;
  const last = await newestWaiting(database, organizationId);
  const isCovered = async () => {
    while (await isWaiting(database, organizationId, last)) {
      signal?.throwIfAborted();
      if ((await sequenceEntries(foundation, log)) === 0) return false;
    }
    return true;
  };
  if (await waitUntil(isCovered, { pauseMs: PAUSE_MS, maxPauses: MAX_PAUSES, signal }))
    return newestCheckpoint(database, organizationId);
  signal?.throwIfAborted();
  throw unavailable('The activity log is not up to date. Try again later.', { retryAfterSeconds: 30 });
}

/** The sequence number of the newest waiting entry. 0 if no entry waits. */
async function newestWaiting(reader: Reader, organizationId: Id<'org'>): Promise<number> {
  const [row] = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(({ fn }) => fn.max<number | null>('sequence').as('last'))
      .where('organization_id', '=', organizationId)
      .where('log_index', 'is', null),
  );
  return row?.last ?? 0;
}

async function isWaiting(reader: Reader, organizationId: Id<'org'>, last: number): Promise<boolean> {
  const rows = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('log_index', 'is', null)
      .where('sequence', '<=', last)
      .limit(1),
  );
  return rows.length > 0;
}
