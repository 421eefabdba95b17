import {
  type Caller,
  parsePermissionSet,
  type PermissionSetInput,
  requireOperatorOr,
  requirePermissionSetExists,
  requireFreshFactor,
} from '../../access/index.js';
import { personal, recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, type Transaction } from '../../../platform/database/index.js';
import { conflict, parseMembers } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { parseName } from '../../../platform/kernel/text.js';
import { findOrganization } from '../find-organization.js';
import { loggedPermissions } from '../members/create-user.js';
import { serializeMemberChangesBy } from '../members/member.js';
import { parseEmail } from '../accounts/parse-email.js';
import { admitLetter, deliver, type IssuedInvitation, writeInvitation } from './invitation.js';
import type { PublicSite } from '../public-site.js';

export interface InviteMemberInput {
  readonly email: string;
  readonly name: string;
  readonly permissions?: PermissionSetInput | null | undefined;
}

/**
 * Invites a person to become a member. The link is valid once, for 72 hours, and with it the person chooses how to sign in.
 * The answer does not depend on memberships elsewhere. The address of a current member is `CONFLICT`.
 */
export async function inviteMember(
  foundation: Foundation,
  site: PublicSite,
  caller: Caller,
  input: InviteMemberInput,
): Promise<IssuedInvitation> {
  const acting = requireOperatorOr(caller, 'members:manage');
  const { organizationId, actor } = acting;
  requireFreshFactor(foundation, caller, 'inviteMember');
  const { email, name, permissions } = parseMembers({
    email: () => parseEmail('email', input.email),
    name: () => parseName('name', input.name, 128),
    permissions: () => parsePermissionSet(input.permissions ?? {}, 'permissions.'),
  });
  await admitLetter(foundation, site, { organizationId, email });
  const organization = await findOrganization(foundation.database, organizationId);
  const written = await foundation.database.transaction(async (transaction) => {
    await serializeMemberChangesBy(transaction, acting);
    await requireNoMember(transaction, organizationId, email);
    await requirePermissionSetExists(transaction, organizationId, permissions);
    const invitation = { organizationId, userId: null, email, name, permissions };
    const issued = await writeInvitation(transaction, foundation, invitation, actor);
    await recordActivity(transaction, {
      organizationId,
      eventType: 'member.invited',
      actor,
      object: { invitation_id: issued.invitation.id, name: personal(name), email: personal(email) },
      details: { permissions: loggedPermissions(permissions) },
      at: issued.invitation.createdAt,
    });
    return issued;
  });
  return deliver(foundation, site, written, organization.name);
}

async function requireNoMember(
  transaction: Transaction,
  organizationId: Id<'org'>,
  email: string,
): Promise<void> {
  const members = await transaction.rows(
    query
      .selectFrom('users')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('ended_at', 'is', null)
      .where((row) =>
        row(row.fn<string>('lower', ['email']), '=', row.fn<string>('lower', [row.val(email)])),
      ),
  );
  if (members.length > 0) throw conflict('The e-mail address already belongs to a member.');
}
