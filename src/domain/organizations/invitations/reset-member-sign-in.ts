import { type Caller, requireOperatorOr, requireFreshFactor } from '../../access/index.js';
import { personal, recordActivity } from '../../activity-log/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { findOrganization } from '../find-organization.js';
import { findMember, serializeMemberChangesBy } from '../members/member.js';
import { admitLetter, deliver, type IssuedInvitation, writeInvitation } from './invitation.js';
import type { PublicSite } from '../public-site.js';

const NO_PERMISSIONS = { owner: [], applications: [] };

/**
 * Creates a link with which a member who can no longer sign in chooses a new password. The member then has a new account:
 * the old one and its access to other organizations do not change, and the link does not reveal whether it exists.
 */
export async function resetMemberSignIn(
  foundation: Foundation,
  site: PublicSite,
  caller: Caller,
  memberId: string,
): Promise<IssuedInvitation> {
  const acting = requireOperatorOr(caller, 'members:manage');
  const { organizationId, actor } = acting;
  requireFreshFactor(foundation, caller, 'resetMemberSignIn');
  const userId = parseIdOrNotFound('usr', memberId);
  const member = await findMember(foundation.database, organizationId, userId);
  await admitLetter(foundation, site, { organizationId, email: member.email });
  const organization = await findOrganization(foundation.database, organizationId);
  const written = await foundation.database.transaction(async (transaction) => {
    await serializeMemberChangesBy(transaction, acting);
    const { email, name } = await findMember(transaction, organizationId, userId);
    const invitation = { organizationId, userId, email, name, permissions: NO_PERMISSIONS };
    const issued = await writeInvitation(transaction, foundation, invitation, actor);
    await recordActivity(transaction, {
      organizationId,
      eventType: 'member.sign_in_reset',
      actor,
      object: {
        user_id: userId,
        invitation_id: issued.invitation.id,
        name: personal(name),
        email: personal(email),
      },
      at: issued.invitation.createdAt,
    });
    return issued;
  });
  return deliver(foundation, site, written, organization.name);
}
