import { query, type Reader, sql } from '../../../platform/database/index.js';

/** The number of seconds for which the oldest entry without an index has waited. 0 if no entry waits. */
export async function longestWait(reader: Reader): Promise<number> {
  const [row] = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(({ fn }) =>
        sql<number>`coalesce(greatest(extract(epoch from now() - ${fn.min('created_at')}), 0), 0)::float8`.as(
          'seconds',
        ),
      )
      .where('log_index', 'is', null),
  );
  return row?.seconds ?? 0;
}
