import { personal, recordActivity } from '../../activity-log/index.js';
import type { Foundation, Transaction } from '../../../platform/database/index.js';
import { canonicalJson } from '../../../platform/kernel/encoding/json.js';
import { type Id, parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { revokeInvitationsBy } from './revoke-invitations-by.js';
import { loggedPermissions } from './create-user.js';
import { findMember, type Member, requireManagerLeft, serializeMemberChangesBy } from './member.js';
import {
  type Caller,
  grantPermissions,
  parsePermissionSet,
  type PermissionSetInput,
  requireOperatorOr,
  selectPendingGrants,
  requireFreshFactor,
} from '../../access/index.js';

/**
 * Replaces all permissions of a member. Permissions that are not in `permissions` are removed. If the organization requires a
 * second person, new deciding permissions wait for a confirmation.
 */
export async function setPermissions(
  foundation: Foundation,
  caller: Caller,
  input: { readonly memberId: string; readonly permissions: PermissionSetInput },
): Promise<Member> {
  const acting = requireOperatorOr(caller, 'members:manage');
  const { organizationId, actor } = acting;
  requireFreshFactor(foundation, caller, 'setPermissions');
  const id = parseIdOrNotFound('usr', input.memberId);
  const permissions = parsePermissionSet(input.permissions, 'permissions.');
  const now = foundation.clock.now();
  return foundation.database.transaction(async (transaction) => {
    await serializeMemberChangesBy(transaction, acting);
    const member = await findMember(transaction, organizationId, id);
    const granting = { organizationId, userId: id, grantedBy: actor.id, at: now };
    const waitingBefore = await waitingFor(transaction, organizationId, id);
    await grantPermissions(transaction, granting, permissions);
    const waiting = await waitingFor(transaction, organizationId, id);
    await revokeInvitationsBy(transaction, { organizationId, actor }, id, now);
    await requireManagerLeft(transaction, organizationId);
    const changed = await findMember(transaction, organizationId, id);
    const before = loggedPermissions(member.permissions);
    const after = loggedPermissions(changed.permissions);
    if (canonicalJson([before, waitingBefore]) !== canonicalJson([after, waiting])) {
      await recordActivity(transaction, {
        organizationId,
        eventType: 'member.permissions_changed',
        actor,
        object: { user_id: id, name: personal(member.name), email: personal(member.email) },
        details: { before, after, ...(waiting.length > 0 ? { waiting } : {}) },
        at: now,
      });
    }
    return changed;
  });
}

/** The names of the permissions that wait for a confirmation, for the log. */
async function waitingFor(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<string[]> {
  const grants = await transaction.rows(selectPendingGrants(organizationId).where('user_id', '=', userId));
  return grants
    .map(({ bucket, permission, applicationId }) =>
      [bucket, permission, applicationId].filter(Boolean).join(' '),
    )
    .sort();
}
