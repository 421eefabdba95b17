import { type Foundation, type Reader, sql } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { signingLaneOf } from './signing-lanes.js';

/**
 * The organizations with waiting entries. It takes one step in the index for each: while a store is away, an organization can
 * have millions of waiting entries. Raw, like the statements that use it: clearer in SQL than in the builder.
 */
const WAITING = sql`
  waiting (organization_id) as (
    (select organization_id from activity_entries where log_index is null order by organization_id, sequence limit 1)
    union all
    select (select organization_id from activity_entries
      where log_index is null and organization_id > waiting.organization_id
      order by organization_id, sequence limit 1)
    from waiting where organization_id is not null)`;

/** A log with waiting entries, and the lane of its keys. */
export interface WaitingLog {
  readonly organizationId: Id<'org'>;
  readonly lane: string;
}

export const waitingLogs = (foundation: Foundation): Promise<WaitingLog[]> =>
  // Raw: see above.
  foundation.database.rows(sql<WaitingLog>`
    with recursive ${WAITING}
    select organization_id as "organizationId",
      ${signingLaneOf(foundation, sql.ref('waiting.organization_id'))} as lane
    from waiting where organization_id is not null`);

/** The number of seconds for which the oldest entry without an index has waited. 0 if no entry waits. */
export async function longestWait(reader: Reader): Promise<number> {
  // Raw: see above.
  const [row] = await reader.rows(sql<{ seconds: number }>`
    with recursive ${WAITING}
    select coalesce(greatest(extract(epoch from now() - min(oldest.created_at)), 0), 0)::float8 as seconds
    from waiting cross join lateral (
      select created_at from activity_entries
      where activity_entries.organization_id = waiting.organization_id and log_index is null
      order by sequence limit 1) as oldest`);
  return row?.seconds ?? 0;
}
