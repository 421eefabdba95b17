import type { Foundation } from '../../../platform/database/index.js';
import { actorOf, type Principal, requireSignedIn } from '../../access/index.js';
import { endOtherSessions } from './sessions.js';

/** Ends every session of the caller except the one of this request. Returns how many there were. */
export async function revokeOtherSessions(
  foundation: Foundation,
  principal: Principal | undefined,
): Promise<number> {
  const user = requireSignedIn(principal);
  return foundation.database.transaction((transaction) =>
    endOtherSessions(transaction, user, 'revoked', actorOf(user), foundation.clock.now()),
  );
}
