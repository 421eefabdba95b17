import { type Caller, requireOperatorOr } from '../../access/index.js';
import { serializeMemberChangesBy } from '../members/member.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { conflict, notFound } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { recordRevocation } from '../members/revoke-invitations-by.js';
import { type Invitation, selectInvitations } from './invitation.js';

/** Revokes the link of an invitation. An accepted invitation is `CONFLICT`. A revoked one does not change. */
export async function revokeInvitation(
  foundation: Foundation,
  caller: Caller,
  invitationId: string,
): Promise<Invitation> {
  const acting = requireOperatorOr(caller, 'members:manage');
  const { organizationId, actor } = acting;
  const id = parseIdOrNotFound('inv', invitationId);
  const now = foundation.clock.now();
  return foundation.database.transaction(async (transaction) => {
    await serializeMemberChangesBy(transaction, acting);
    const revoked = await transaction.rows(
      query
        .updateTable('invitations')
        .set({ revoked_at: now })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('accepted_at', 'is', null)
        .where('revoked_at', 'is', null)
        .returning('id'),
    );
    const [invitation] = await transaction.rows(selectInvitations(organizationId).where('id', '=', id));
    if (!invitation) throw notFound('invitation');
    if (invitation.acceptedAt) throw conflict('The invitation was already accepted.');
    if (revoked.length === 1) await recordRevocation(transaction, { organizationId, actor }, invitation, now);
    return invitation;
  });
}
