import { sql, type Foundation } from '../database/index.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import type { Id } from '../kernel/ids.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import type { ListingInput } from './list-members.js';
import { requireUser, type Principal } from './principal.js';
import { IDLE_MILLISECONDS } from './session-lifetime.js';

/** A session as its own user sees it. */
export interface ListedSession {
  readonly id: Id<'ses'>;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  /** Whether it is the one that asks. */
  readonly current: boolean;
}

/** The caller's sessions that are still alive, newest first. */
export async function listSessions(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListingInput = {},
): Promise<Connection<ListedSession>> {
  const { userId, organizationId, sessionId } = requireUser(principal);
  const cursors = cursorsFor('sessions', userId);
  const limit = parseLimit('first', input.first);
  const before = input.after ? cursors.decode('string', 'after', input.after) : null;
  const now = foundation.clock.now();
  const rows = await foundation.database.rows(sql<ListedSession>`
    select id, created_at as "createdAt", last_seen_at as "lastSeenAt", expires_at as "expiresAt",
      id = ${sessionId} as current
    from sessions
    where user_id = ${userId} and organization_id = ${organizationId} and ended_at is null
      and expires_at > ${now} and last_seen_at > ${new Date(now.getTime() - IDLE_MILLISECONDS)}
      and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`);
  return connectionOf(pageOf(rows, limit), (session) => cursors.encode(session.id));
}
