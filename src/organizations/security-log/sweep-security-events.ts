import { sql, type Foundation } from '../../database/index.js';

export const RETENTION_DAYS = 90;
export const MOST_ROWS = 1_000_000;
const BATCH = 10_000;

/** Removes security events that are older than the retention, and the oldest beyond the most that are kept. */
export async function sweepSecurityEvents(
  { clock, database }: Pick<Foundation, 'clock' | 'database'>,
  mostRows = MOST_ROWS,
): Promise<void> {
  const oldest = new Date(clock.now().getTime() - RETENTION_DAYS * 24 * 60 * 60_000);
  let removed: unknown[];
  do {
    removed = await database.transaction((transaction) =>
      transaction.rows(sql`
        delete from security_events where sequence in (
          select sequence from security_events
          where created_at < ${oldest}
            or sequence <= (select max(sequence) from security_events) - ${mostRows}::bigint
          limit ${BATCH} for update skip locked)
        returning sequence`),
    );
  } while (removed.length === BATCH);
}
