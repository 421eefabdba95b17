import type { Foundation } from '../database/index.js';
import { locateId } from '../kernel/ids.js';
import { locateMember } from './member.js';
import { requireOperatorOr, type Caller } from './operator.js';
import { endSessionsOfUser } from './sessions.js';

/** Ends every session of a member, who may sign in again. How many there were. */
export async function endMemberSessions(
  foundation: Foundation,
  caller: Caller,
  memberId: string,
): Promise<number> {
  const { organizationId, actor } = requireOperatorOr(caller, 'members:manage');
  const id = locateId('usr', memberId);
  return foundation.database.transaction(async (transaction) => {
    await locateMember(transaction, organizationId, id);
    const now = foundation.clock.now();
    return endSessionsOfUser(transaction, organizationId, id, 'ended_by_manager', actor, now);
  });
}
