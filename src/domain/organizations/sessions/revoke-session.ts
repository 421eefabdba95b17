import { type Foundation, query } from '../../../platform/database/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { actorOf, type Principal, requireOpenSession, requireSignedIn } from '../../access/index.js';
import { lockAccount } from '../accounts/account.js';
import { endSession } from './sessions.js';

/** Ends one of the caller's own sessions and its subscriptions. Returns whether it was still open. */
export async function revokeSession(
  foundation: Foundation,
  principal: Principal | undefined,
  sessionId: string,
): Promise<boolean> {
  const user = requireSignedIn(principal);
  const id = parseIdOrNotFound('ses', sessionId);
  const { organizationId, userId } = user;
  return foundation.database.transaction(async (transaction) => {
    await lockAccount(transaction, user.accountId);
    await requireOpenSession(transaction, user);
    const own = await transaction.rows(
      query
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .where('organization_id', '=', organizationId),
    );
    if (own.length === 0) throw notFound('session');
    const now = foundation.clock.now();
    return endSession(transaction, organizationId, id, 'revoked', actorOf(user), now);
  });
}
