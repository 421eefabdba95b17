import { personal, recordActivity } from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { canonicalJson } from '../kernel/json.js';
import { locateId } from '../kernel/ids.js';
import { loggedPermissions } from './create-user.js';
import { locateMember, requireManagerLeft, serializeMemberChanges, type Member } from './member.js';
import { requireOperatorOr, type Caller } from './operator.js';
import { replacePermissionSet } from './permission-grants.js';
import { parsePermissionSet, type PermissionSetInput } from './permission-set.js';

/** Replaces everything a member holds: what `permissions` does not name is taken away. */
export async function setPermissions(
  foundation: Foundation,
  caller: Caller,
  input: { readonly memberId: string; readonly permissions: PermissionSetInput },
): Promise<Member> {
  const { organizationId, actor } = requireOperatorOr(caller, 'members:manage');
  const id = locateId('usr', input.memberId);
  const permissions = parsePermissionSet(input.permissions);
  const now = foundation.clock.now();
  return foundation.database.transaction(async (transaction) => {
    await serializeMemberChanges(transaction, organizationId);
    const member = await locateMember(transaction, organizationId, id);
    await replacePermissionSet(transaction, organizationId, id, permissions);
    await requireManagerLeft(transaction, organizationId);
    const changed = await locateMember(transaction, organizationId, id);
    const before = loggedPermissions(member.permissions);
    const after = loggedPermissions(changed.permissions);
    if (canonicalJson(before) !== canonicalJson(after)) {
      await recordActivity(transaction, {
        organizationId,
        eventType: 'member.permissions_changed',
        actor,
        object: { user_id: id, name: personal(member.name), email: personal(member.email) },
        details: { before, after },
        at: now,
      });
    }
    return changed;
  });
}
