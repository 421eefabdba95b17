import { sql, type Foundation } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import { locateId } from '../kernel/ids.js';
import { actorOf, requireUser, type Principal } from './principal.js';
import { endSession } from './sessions.js';

/** Ends one of the caller's own sessions, and with it what is subscribed to under it. Whether it was still open. */
export async function revokeSession(
  foundation: Foundation,
  principal: Principal | undefined,
  sessionId: string,
): Promise<boolean> {
  const user = requireUser(principal);
  const id = locateId('ses', sessionId);
  const { organizationId, userId } = user;
  return foundation.database.transaction(async (transaction) => {
    const own = await transaction.rows(sql`
      select id from sessions
      where id = ${id} and user_id = ${userId} and organization_id = ${organizationId}`);
    if (own.length === 0) throw notFound('session');
    const now = foundation.clock.now();
    return endSession(transaction, organizationId, id, 'revoked', actorOf(user), now);
  });
}
