import { query, type Foundation } from '../../../platform/database/index.js';
import type { Sweep } from '../../../platform/jobs/index.js';

const RETENTION_DAYS = 90;
const MAX_ROWS = 1_000_000;

/** Deletes security events that are older than the retention, and the oldest ones beyond the maximum number. */
export const sweepSecurityEvents = (
  { clock, database }: Pick<Foundation, 'clock' | 'database'>,
  maxRows = MAX_ROWS,
): Sweep => ({
  table: 'security_events',
  async sweep(limit) {
    const oldest = new Date(clock.now().getTime() - RETENTION_DAYS * 24 * 60 * 60_000);
    const removed = await database.rows(
      query
        .deleteFrom('security_events')
        .where('sequence', 'in', (events) =>
          events
            .selectFrom('security_events')
            .select('sequence')
            .where((event) =>
              event.or([
                event('created_at', '<', oldest),
                event('sequence', '<=', (newest) =>
                  newest
                    .selectFrom('security_events')
                    .select((row) => row(row.fn.max('sequence'), '-', row.val(maxRows)).as('bound')),
                ),
              ]),
            )
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .returning('sequence'),
    );
    return removed.length;
  },
});
