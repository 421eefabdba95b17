import type { Actor } from '../../access/index.js';
import {
  columnsOf,
  countInWindows,
  type Foundation,
  query,
  type RowOf,
  type Transaction,
  valuesOf,
} from '../../../platform/database/index.js';
import { type Id, newId } from '../../../platform/kernel/ids.js';
import { foldEmail } from '../accounts/parse-email.js';
import { InvitationEntity } from './invitation.entity.js';
import { hashLinkToken, INVITATION_LIFETIME_MS, linkTo, newLinkToken } from './link.js';
import type { PublicSite } from '../public-site.js';

/** The members of an invitation that can always be shown. */
export type Invitation = Omit<RowOf<typeof InvitationEntity>, 'tokenHash' | 'mailedAt'>;

/** An invitation with its link. */
export interface IssuedInvitation {
  readonly invitation: Invitation;
  /** Shown once. Null if the link was mailed. */
  readonly link: string | null;
}

/** The invitations of the organization. The caller adds conditions. */
export const selectInvitations = (organizationId: Id<'org'>) =>
  query
    .selectFrom('invitations')
    .select(
      columnsOf(InvitationEntity, [
        'id',
        'organizationId',
        'userId',
        'email',
        'name',
        'permissions',
        'invitedBy',
        'createdAt',
        'expiresAt',
        'acceptedAt',
        'revokedAt',
      ]),
    )
    .where('organization_id', '=', organizationId);

/** Writes an invitation. It revokes open invitations for the same address or member, so only one link is valid at a time. */
export async function writeInvitation(
  transaction: Transaction,
  { clock, random }: Pick<Foundation, 'clock' | 'random'>,
  invitation: Pick<Invitation, 'organizationId' | 'userId' | 'email' | 'name' | 'permissions'>,
  actor: Actor,
): Promise<{ readonly invitation: Invitation; readonly token: string }> {
  const now = clock.now();
  const token = newLinkToken(random);
  await transaction.rows(
    query
      .updateTable('invitations')
      .set({ revoked_at: now })
      .where('organization_id', '=', invitation.organizationId)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where((row) =>
        row(row.fn<string>('lower', ['email']), '=', row.fn<string>('lower', [row.val(invitation.email)])),
      ),
  );
  const written: Invitation = {
    ...invitation,
    id: newId('inv'),
    invitedBy: actor.id,
    createdAt: now,
    expiresAt: new Date(now.getTime() + INVITATION_LIFETIME_MS),
    acceptedAt: null,
    revokedAt: null,
  };
  await transaction.rows(
    query
      .insertInto('invitations')
      .values(valuesOf(InvitationEntity, { ...written, tokenHash: hashLinkToken(token) })),
  );
  return { invitation: written, token };
}

/** Letters that one organization sends in a minute: to one address, and in total. */
const MAX_LETTERS_TO_ONE = 3;
const MAX_LETTERS = 60;

/**
 * Limits the letters of an organization. The mail server belongs to the gateway, and the recipients did not ask for the
 * letters, so no organization may fill a mailbox or send bulk mail in the gateway's name.
 *
 * @throws `TOO_MANY_REQUESTS` beyond the letters of a minute. Without a mail server, nothing is counted.
 */
export async function admitLetter(
  foundation: Foundation,
  { mailer }: PublicSite,
  { organizationId, email }: Pick<Invitation, 'organizationId' | 'email'>,
): Promise<void> {
  if (!mailer) return;
  await countInWindows(foundation, [
    { key: `letters:${organizationId}:${foldEmail(email)}`, limit: MAX_LETTERS_TO_ONE },
    { key: `letters:${organizationId}`, limit: MAX_LETTERS },
  ]);
}

/** Mails the link if a mail server is configured and accepts it. Otherwise the caller sees the link once. */
export async function deliver(
  { clock, database, log }: Pick<Foundation, 'clock' | 'database' | 'log'>,
  { origin, mailer }: PublicSite,
  { invitation, token }: { readonly invitation: Invitation; readonly token: string },
  organizationName: string,
): Promise<IssuedInvitation> {
  const link = linkTo(origin(), 'invitation', token);
  if (!mailer) return { invitation, link };
  const mark = (mailedAt: Date | null) =>
    database.transaction((transaction) =>
      transaction.rows(
        query
          .updateTable('invitations')
          .set({ mailed_at: mailedAt })
          .where('organization_id', '=', invitation.organizationId)
          .where('id', '=', invitation.id),
      ),
    );
  // Before the letter can be read. Anyone who accepts the invitation then proves the address, until the caller sees the link.
  await mark(clock.now());
  try {
    await mailer.send({
      to: invitation.email,
      subject: `Your access to ${organizationName}`,
      text: letter(organizationName, invitation, link),
    });
    return { invitation, link: null };
  } catch (thrown) {
    log.warn({ err: thrown, invitationId: invitation.id }, 'Mailing an invitation failed.');
    await mark(null);
    return { invitation, link };
  }
}

const letter = (organizationName: string, { userId, name }: Invitation, link: string) =>
  `Hello ${name},

${userId === null ? `${organizationName} invites you to its portal.` : `${organizationName} asks you to choose a new password.`} Open this link within 72 hours:

${link}

The link works once. If you did not expect this e-mail, ignore it.
`;
