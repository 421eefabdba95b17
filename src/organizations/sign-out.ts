import type { Foundation } from '../database/index.js';
import { actorOf, type Principal } from './principal.js';
import { endSession } from './sessions.js';

/** Ends the caller's session. Whether there was one to end: who has none is signed out already, and is not refused. */
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
