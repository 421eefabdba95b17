import { personal, recordActivity } from '../activity-log/index.js';
import { sql, type Foundation } from '../database/index.js';
import { locateId } from '../kernel/ids.js';
import { locateMember, requireManagerLeft, serializeMemberChanges, type Member } from './member.js';
import { requireOperatorOr, type Caller } from './operator.js';
import { endSessionsOfUser } from './sessions.js';

/**
 * Ends a membership: its permissions and sessions end with it, and its account at an identity provider can be another
 * member's. The user stays, for the log names it.
 */
export async function removeMember(foundation: Foundation, caller: Caller, userId: string): Promise<Member> {
  const { organizationId, actor } = requireOperatorOr(caller, 'members:manage');
  const id = locateId('usr', userId);
  const now = foundation.clock.now();
  return foundation.database.transaction(async (transaction) => {
    await serializeMemberChanges(transaction, organizationId);
    const member = await locateMember(transaction, organizationId, id);
    // The user before the membership, as who signs in locks them.
    await transaction.rows(sql`update users set oidc_subject = null where id = ${id}`);
    // The grants go with the membership (`on delete cascade`).
    await transaction.rows(sql`
      delete from memberships where organization_id = ${organizationId} and user_id = ${id}`);
    await requireManagerLeft(transaction, organizationId);
    await endSessionsOfUser(transaction, organizationId, id, 'member_removed', actor, now);
    await recordActivity(transaction, {
      organizationId,
      eventType: 'member.removed',
      actor,
      object: { user_id: id, name: personal(member.name), email: personal(member.email) },
      at: now,
    });
    return member;
  });
}
