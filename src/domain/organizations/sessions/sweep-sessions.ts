import { query, type Foundation } from '../../../platform/database/index.js';
import type { Sweep } from '../../../platform/jobs/index.js';
import { SESSION_IDLE_MS } from '../../access/index.js';

/** How long an ended session can still be looked up. */
const RETENTION_DAYS = 30;

type Parts = Pick<Foundation, 'clock' | 'database'>;

/**
 * Deletes sessions that ended or expired longer ago than the retention. The client details of a session are only for the
 * list of its user, so they are erased once the session has ended or expired.
 */
export const sweepSessions = (foundation: Parts): Sweep => ({
  table: 'sessions',
  async sweep(limit) {
    await forgetClients(foundation, limit);
    return removeOld(foundation, limit);
  },
});

async function forgetClients({ clock, database }: Parts, limit: number): Promise<void> {
  const now = clock.now();
  await database.rows(
    query
      .updateTable('sessions')
      .set({ client_address: null, user_agent: null })
      .where('id', 'in', (sessions) =>
        sessions
          .selectFrom('sessions')
          .select('id')
          .where('client_address', 'is not', null)
          .where((session) =>
            session.or([
              session('ended_at', 'is not', null),
              session('expires_at', '<=', now),
              session('last_seen_at', '<=', new Date(now.getTime() - SESSION_IDLE_MS)),
            ]),
          )
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      ),
  );
}

async function removeOld({ clock, database }: Parts, limit: number): Promise<number> {
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
}
