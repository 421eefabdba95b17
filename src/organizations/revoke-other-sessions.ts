import type { Foundation } from '../database/index.js';
import { actorOf, requireUser, type Principal } from './principal.js';
import { endOtherSessions } from './sessions.js';

/** Ends every session of the caller's but the one that asks. How many there were. */
export async function revokeOtherSessions(
  foundation: Foundation,
  principal: Principal | undefined,
): Promise<number> {
  const user = requireUser(principal);
  return foundation.database.transaction((transaction) =>
    endOtherSessions(transaction, user, 'revoked', actorOf(user), foundation.clock.now()),
  );
}
