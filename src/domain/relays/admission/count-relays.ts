import { query, sql, type Reader } from '../../../platform/database/index.js';

/** The bound within which a relay ends, once a majority of providers is honest and reachable. */
const MAX_SUBMITTED_MINUTES = 15;

/** Requests of all instances that wait to be sent, and those whose outcome is not known, or not recorded, when it should be. */
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
