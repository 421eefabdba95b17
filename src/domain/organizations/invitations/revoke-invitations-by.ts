import { personal, recordActivity } from '../../activity-log/index.js';
import { type Acting, heldGrants } from '../../access/index.js';
import { query, type Transaction } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/**
 * Makes the links invalid that a member made, if the member holds `members:manage` no longer: who was sent away is not to
 * come back, or take over who stayed, by a link from before.
 */
export async function revokeInvitationsBy(
  transaction: Transaction,
  { organizationId, actor }: Acting,
  userId: Id<'usr'>,
  at: Date,
): Promise<void> {
  const held = await heldGrants(transaction, organizationId, userId);
  if (held.some(({ bucket, permission }) => bucket === 'owner' && permission === 'members:manage')) return;
  const revoked = await transaction.rows(
    query
      .updateTable('invitations')
      .set({ revoked_at: at })
      .where('organization_id', '=', organizationId)
      .where('invited_by', '=', userId)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', at)
      .returning(['id', 'name', 'email']),
  );
  for (const { id, name, email } of revoked) {
    await recordActivity(transaction, {
      organizationId,
      eventType: 'member.invitation_revoked',
      actor,
      object: { invitation_id: id, name: personal(name), email: personal(email) },
      at,
    });
  }
}
