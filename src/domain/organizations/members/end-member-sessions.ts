import type { Foundation } from '../../../platform/database/index.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { findMember, serializeMemberChangesBy } from './member.js';
import { type Caller, requireOperatorOr } from '../../access/index.js';
import { endSessionsOfUser } from '../sessions/sessions.js';

/** Ends every session of a member, who may sign in again. Returns the number of ended sessions. */
export async function endMemberSessions(
  foundation: Foundation,
  caller: Caller,
  memberId: string,
): Promise<number> {
  const acting = requireOperatorOr(caller, 'members:manage');
  const { organizationId, actor } = acting;
  const id = parseIdOrNotFound('usr', memberId);
  return foundation.database.transaction(async (transaction) => {
    await serializeMemberChangesBy(transaction, acting);
    await findMember(transaction, organizationId, id);
    const now = foundation.clock.now();
    return endSessionsOfUser(transaction, organizationId, id, 'ended_by_manager', actor, now);
  });
}
