import type { Foundation } from '../../../platform/database/index.js';
import { type Principal, requireOpenSession, requireSignedIn } from '../../access/index.js';
import { lockAccount } from '../accounts/account.js';
import { endOtherSessions } from './sessions.js';

/** Ends all sessions of the caller, in all organizations, except the current one. Returns the number of ended sessions. */
export async function revokeOtherSessions(
  foundation: Foundation,
  principal: Principal | undefined,
): Promise<number> {
  const user = requireSignedIn(principal);
  return foundation.database.transaction(async (transaction) => {
    // If the person and a thief of a session do this at the same time, only the first one does.
    await lockAccount(transaction, user.accountId);
    await requireOpenSession(transaction, user);
    return endOtherSessions(transaction, user, 'revoked', foundation.clock.now());
  });
}
