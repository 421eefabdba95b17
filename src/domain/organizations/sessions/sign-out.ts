import type { Foundation } from '../../../platform/database/index.js';
import { actorOf, type Principal } from '../../access/index.js';
import { endSession } from './sessions.js';

/** Ends the caller's session. Returns whether there was one. */
export async function signOut(foundation: Foundation, principal: Principal | undefined): Promise<boolean> {
  if (principal?.kind !== 'user') return false;
  const { organizationId, sessionId } = principal;
  return foundation.database.transaction((transaction) =>
    endSession(
      transaction,
      organizationId,
      sessionId,
      'signed_out',
      actorOf(principal),
      foundation.clock.now(),
    ),
  );
}
