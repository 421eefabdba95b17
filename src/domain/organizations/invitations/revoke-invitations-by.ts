import { type Acting, managersAmong } from '../../access/index.js';
import { query, type Transaction } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { recordRevocation } from './invitation.js';

/**
 * Revokes the links that a member made if the member no longer holds `members:manage`, so that a removed owner cannot use
 * one to return or to take over an account.
 */
export async function revokeInvitationsBy(
  transaction: Transaction,
  { organizationId, actor }: Pick<Acting, 'organizationId' | 'actor'>,
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
