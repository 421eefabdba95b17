import { query, type Foundation } from '../../../platform/database/index.js';
import type { Sweep } from '../../../platform/jobs/index.js';

/** How long a session that has ended can still be looked up. */
const RETENTION_DAYS = 30;

/** Sessions that were ended or have expired for longer than the retention. */
export const sweepSessions = ({ clock, database }: Pick<Foundation, 'clock' | 'database'>): Sweep => ({
  table: 'sessions',
  async sweep(limit) {
    const oldest = new Date(clock.now().getTime() - RETENTION_DAYS * 24 * 60 * 60_000);
    const removed = await database.rows(
      query
        .deleteFrom('sessions')
        .where('id', 'in', (sessions) =>
          sessions
            .selectFrom('sessions')
            .select('id')
            .where((session) =>
              session.or([session('ended_at', '<', oldest), session('expires_at', '<', oldest)]),
            )
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .returning('id'),
    );
    return removed.length;
  },
});
