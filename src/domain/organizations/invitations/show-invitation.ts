import { type Foundation, query } from '../../../platform/database/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import { openInvitations } from './accept-invitation.js';
import { hashLinkToken } from './link.js';

/** What the holder of a link learns of its invitation before accepting it. */
export interface OpenInvitation {
  readonly organization: string;
  /** The name of the member who created the link. Null if the operator did. */
  readonly invitedBy: string | null;
  readonly name: string;
  readonly email: string;
  /** False if the link gives an existing member a new way to sign in. */
  readonly isNewMember: boolean;
  readonly expiresAt: Date;
}

/**
 * Who invites whom, for the holder of the link: they need to know it before they choose a password. Accepting the invitation
 * tells the same.
 *
 * @throws `NOT_FOUND` for a link that was used, revoked or replaced, or that has expired.
 */
export async function showInvitation(
  { clock, database }: Foundation,
  token: string,
): Promise<OpenInvitation> {
  const [open] = await database.rows(openInvitations(hashLinkToken(token), clock.now()));
  if (!open) throw notFound('invitation');
  const { organizationId, invitedBy, name, email, userId, expiresAt } = open;
  const [organization] = await database.rows(
    query
      .selectFrom('organizations')
      .leftJoin('users', (on) =>
        on
          .onRef('users.organization_id', '=', 'organizations.id')
          .on((row) => row(row.cast<string>('users.id', 'text'), '=', invitedBy)),
      )
      .select(['organizations.name as name', 'users.name as inviter'])
      .where('organizations.id', '=', organizationId),
  );
  if (!organization) throw notFound('invitation');
  return {
    organization: organization.name,
    invitedBy: organization.inviter,
    ...{ name, email, isNewMember: userId === null, expiresAt },
  };
}
