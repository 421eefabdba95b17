import { type Foundation, query } from '../../../platform/database/index.js';
import { unauthenticated } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { isLastUseDue, SESSION_IDLE_MS, type UserPrincipal } from '../../access/index.js';

export interface ViewerSession {
  readonly id: Id<'ses'>;
  readonly expiresAt: Date;
  /** Both as of the time of reading, rounded down. */
  readonly secondsLeft: number;
  readonly idleSecondsLeft: number;
}

/** The session of a caller. @throws `UNAUTHENTICATED` if it has ended meanwhile. */
export async function findViewerSession(
  { database, clock }: Pick<Foundation, 'database' | 'clock'>,
  { organizationId, userId, sessionId }: UserPrincipal,
): Promise<ViewerSession> {
  const [session] = await database.rows(
    query
      .selectFrom('sessions')
      .select(['id', 'expires_at as expiresAt', 'last_seen_at as lastSeenAt'])
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .where('id', '=', sessionId)
      .where('ended_at', 'is', null),
  );
  if (!session) throw unauthenticated();
  const { id, expiresAt, lastSeenAt } = session;
  const now = clock.now();
  // This request counts as a use. The use is written after the answer, and only if the last one is a minute old.
  const lastUse = isLastUseDue(lastSeenAt, now) ? now : lastSeenAt;
  const secondsUntil = (end: number) => Math.max(0, Math.floor((end - now.getTime()) / 1000));
  const secondsLeft = secondsUntil(expiresAt.getTime());
  const idleSecondsLeft = Math.min(secondsLeft, secondsUntil(lastUse.getTime() + SESSION_IDLE_MS));
  return { id, expiresAt, secondsLeft, idleSecondsLeft };
}
