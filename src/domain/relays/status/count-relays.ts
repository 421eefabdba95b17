import { query, sql, type Reader } from '../../../platform/database/index.js';

/** While a majority of providers is honest and reachable, a relay ends within this time. */
const MAX_SUBMITTED_MINUTES = 15;

/** Counts, for all instances, the requests that wait to be sent, and those whose outcome is overdue or not recorded. */
export async function countRelays(
  reader: Reader,
): Promise<{ readonly waiting: number; readonly reconciling: number }> {
  const [counted] = await reader.rows(
    query
      .selectFrom('relay_requests')
      .select([
        sql<number>`count(*) filter (where status in ('accepted', 'validating', 'queued'))::integer`.as(
          'waiting',
        ),
        sql<number>`count(*) filter (where status = 'reconciling' or waiting_for = 'signing_key'
          or (status = 'submitted' and updated_at < now() - make_interval(mins => ${MAX_SUBMITTED_MINUTES})))::integer`.as(
          'reconciling',
        ),
      ])
      .where('next_look_at', 'is not', null),
  );
  return counted ?? { waiting: 0, reconciling: 0 };
}
