import { type Caller, removePermissions, requireOperatorOr, requireFreshFactor } from '../../access/index.js';
import { personal, recordActivity } from '../../activity-log/index.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { removeUnusedAccount } from '../accounts/account.js';
import { revokeInvitationsBy } from './revoke-invitations-by.js';
import { endSessionsOfUser } from '../sessions/sessions.js';
import { findMember, type Member, requireManagerLeft, serializeMemberChangesBy } from './member.js';

/**
 * Permanently ends a membership, with its permissions and sessions. The user stays, because cases and the log refer to it.
 * The person's account is deleted unless it has another membership.
 */
export async function removeMember(foundation: Foundation, caller: Caller, userId: string): Promise<Member> {
  const acting = requireOperatorOr(caller, 'members:manage');
  const { organizationId, actor } = acting;
  requireFreshFactor(foundation, caller, 'removeMember');
  const id = parseIdOrNotFound('usr', userId);
  const now = foundation.clock.now();
  return foundation.database.transaction(async (transaction) => {
    await serializeMemberChangesBy(transaction, acting);
    const member = await findMember(transaction, organizationId, id);
    const [before] = await transaction.rows(
      query.selectFrom('users').select('account_id').where('id', '=', id).forUpdate(),
    );
    await transaction.rows(
      query
        .updateTable('users')
        .set({ ended_at: now, account_id: null })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id),
    );
    await removeUnusedAccount(transaction, before?.account_id ?? null);
    await removePermissions(transaction, organizationId, id);
    await revokeInvitationsBy(transaction, { organizationId, actor }, id, now);
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
