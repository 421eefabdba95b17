import { columnsOf, type Foundation, query } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import { SESSION_IDLE_MS, type Principal, requireSignedIn } from '../../access/index.js';
import { SessionEntity } from './session.entity.js';

/** A session as its own user sees it. */
export interface ListedSession {
  readonly id: Id<'ses'>;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
  /** Whether the request was sent in this session. */
  readonly current: boolean;
}

const LISTED = ['id', 'createdAt', 'lastSeenAt', 'expiresAt', 'clientAddress', 'userAgent'] as const;

/** The caller's sessions that have not ended, newest first. */
export async function listSessions(
  foundation: Foundation,
  principal: Principal | undefined,
  input: PageInput = {},
): Promise<Connection<ListedSession>> {
  const { userId, organizationId, sessionId } = requireSignedIn(principal);
  const { cursors, limit, after: before } = parsePage(input, 'string', () => cursorsFor('sessions', userId));
  const now = foundation.clock.now();
  const rows = await foundation.database.rows(
    query
      .selectFrom('sessions')
      .select((session) => [
        ...columnsOf(SessionEntity, LISTED),
        session('id', '=', sessionId).$castTo<boolean>().as('current'),
      ])
      .where('user_id', '=', userId)
      .where('organization_id', '=', organizationId)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .where('last_seen_at', '>', new Date(now.getTime() - SESSION_IDLE_MS))
      .$if(before !== undefined, (sessions) => sessions.where('id', '<', before as Id<'ses'>))
      .orderBy('id', 'desc')
      .limit(limit + 1),
  );
  return connectionOf(pageOf(rows, limit), (session) => cursors.encode(session.id));
}
