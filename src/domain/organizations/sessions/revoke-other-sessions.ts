import type { Foundation } from '../../../platform/database/index.js';
import { type Principal, requireSignedIn } from '../../access/index.js';
import { endOtherSessions } from './sessions.js';

/** Ends all sessions of the caller, in all organizations, except the current one. Returns the number of ended sessions. */
export async function revokeOtherSessions(
  foundation: Foundation,
  principal: Principal | undefined,
): Promise<number> {
  const user = requireSignedIn(principal);
  return foundation.database.transaction((transaction) =>
    endOtherSessions(transaction, user, 'revoked', foundation.clock.now()),
  );
}
