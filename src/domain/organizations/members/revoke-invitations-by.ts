import { type Acting, managersAmong } from '../../access/index.js';
import { query, type Transaction } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { personal, recordActivity } from '../../activity-log/index.js';

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

/** Records in the log that the link of an invitation is invalid from now on. */
export function recordRevocation(
  transaction: Transaction,
  { organizationId, actor }: Pick<Acting, 'organizationId' | 'actor'>,
  { id, name, email }: { readonly id: Id<'inv'>; readonly name: string; readonly email: string },
  at: Date,
): Promise<unknown> {
  return recordActivity(transaction, {
    organizationId,
    eventType: 'member.invitation_revoked',
    actor,
    object: { invitation_id: id, name: personal(name), email: personal(email) },
    at,
  });
}
