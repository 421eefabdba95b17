import { type Acting, managersAmong } from '../../access/index.js';
import { query, type Transaction } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { recordRevocation } from './invitation.js';

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
  if ((await managersAmong(transaction, organizationId, [userId])).has(userId)) return;
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
  for (const invitation of revoked)
    await recordRevocation(transaction, { organizationId, actor }, invitation, at);
}
