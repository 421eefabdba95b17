import { sql, type Reader } from '../database/index.js';

/** How many requests wait to be sent, and of how many the outcome is being found out, of all instances. */
export async function countRelays(
  reader: Reader,
): Promise<{ readonly waiting: number; readonly reconciling: number }> {
  const [counted] = await reader.rows(sql<{ waiting: number; reconciling: number }>`
    select count(*) filter (where status in ('accepted', 'validating', 'queued'))::integer as waiting,
      count(*) filter (where status = 'reconciling')::integer as reconciling
    from relay_requests where next_look_at is not null`);
  return counted ?? { waiting: 0, reconciling: 0 };
}
