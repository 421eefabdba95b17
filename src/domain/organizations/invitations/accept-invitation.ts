import {
  findSessions,
  hashSessionToken,
  newSessionToken,
  suspendDecidingPermissions,
  type Principal,
  lockOrganization,
} from '../../access/index.js';
import {
  columnsOf,
  type Foundation,
  inShareOf,
  query,
  type RowOf,
  type Transaction,
} from '../../../platform/database/index.js';
import { badUserInput, notFound, parseMembers } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { createAccount, recordOfUser, removeUnusedAccount } from '../accounts/account.js';
import { createUser } from '../members/create-user.js';
import {
  endPresentedSession,
  endSessionsOfUser,
  openSession,
  requireSessionStill,
} from '../sessions/sessions.js';
import { newDeviceToken } from '../sign-in-limits/known-device.js';
import { hashPassword, parsePassword } from '../accounts/password.js';
import type { SignedIn } from '../sign-in/sign-in.js';
import { InvitationEntity } from './invitation.entity.js';
import { hashLinkToken } from './link.js';
import type { PublicSite } from '../public-site.js';
import { insertPasskey, userHandleOf } from '../second-factor/own-passkeys.js';
import { type RelyingParty, relyingPartyOf } from '../passkeys/relying-party.js';
import { creationOptions, verifyNewPasskey } from '../passkeys/verify-passkey.js';
import { parseName } from '../../../platform/kernel/text.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { revokeInvitationsBy } from '../members/revoke-invitations-by.js';

export interface AcceptInvitationInput {
  /** From the fragment of the link. */
  readonly token: string;
  /** The password of a new account. Without it, the account of the caller's session joins the organization. */
  readonly password?: string | null | undefined;
  /** A passkey in place of a password, created with the options of {@link proposeInvitationPasskey}. */
  readonly passkey?: { readonly name: string; readonly response: JsonObject } | null | undefined;
}

const purposeOf = ({ id }: OpenInvitation) => ({ purpose: 'invitation', binding: id }) as const;

/** The options with which a browser creates the passkey of a person who accepts an invitation. */
export async function proposeInvitationPasskey(
  foundation: Foundation,
  site: PublicSite,
  token: string,
): Promise<JsonObject> {
  const [open] = await foundation.database.rows(
    openInvitations(hashLinkToken(token), foundation.clock.now()),
  );
  if (!open) throw notFound('invitation');
  const userHandle = userHandleOf(foundation, open.id);
  return creationOptions(
    foundation,
    relyingPartyOf(site.origin()),
    purposeOf(open),
    { ...open, userHandle },
    [],
  );
}

/**
 * Uses an invitation and opens a session. A new member signs in with a new account and a password of their choice, or with
 * the account of the session that opened the link. An account is never looked up by its address, so the holder of the link
 * cannot find out whether an account exists, take one over, or prepare one for someone else.
 */
export async function acceptInvitation(
  foundation: Foundation,
  input: AcceptInvitationInput,
  principal: Principal | undefined,
  clientAddress: string,
  presentedToken?: string,
  party: () => RelyingParty = noPasskeys,
): Promise<SignedIn> {
  const { clock, database, random } = foundation;
  const tokenHash = hashLinkToken(input.token);
  const [open] = await database.rows(openInvitations(tokenHash, clock.now()));
  if (!open) throw notFound('invitation');
  const password = input.password ?? undefined;
  const isNewAccount = password !== undefined || !!input.passkey;
  const joining = !isNewAccount && principal?.kind === 'user' && open.userId === null ? principal : undefined;
  if (!isNewAccount && !joining) {
    throw badUserInput(
      'Choose a password or a passkey, or sign in first to join with the account that you have.',
    );
  }
  const passkey = input.passkey ?? undefined;
  const { passkeyName, newPassword } = parseMembers({
    passkeyName: () => passkey && parseName('passkey.name', passkey.name, 64),
    newPassword: () =>
      password === undefined ? undefined : parsePassword('password', password, [open.email, open.name]),
  });
  const made =
    passkey &&
    (await verifyNewPasskey(foundation, party(), purposeOf(open), passkey.response, 'passkey.response'));
  // Computed last, because it takes longest. A refused attempt leaves the link usable.
  const passwordHash =
    newPassword === undefined ? null : await hashPassword(foundation, open.email, newPassword);
  const token = newSessionToken(random);
  const accept = async (transaction: Transaction) => {
    await lockOrganization(transaction, open.organizationId);
    // After the wait, in which the invitation may have expired.
    const now = clock.now();
    const [invitation] = await transaction.rows(openInvitations(tokenHash, now).forUpdate());
    if (!invitation) throw notFound('invitation');
    await transaction.rows(
      query.updateTable('invitations').set({ accepted_at: now }).where('id', '=', invitation.id),
    );
    // The new session continues this one, which must not have ended meanwhile.
    if (joining) await requireSessionStill(transaction, joining);
    const accountId =
      joining?.accountId ?? (await createAccount(transaction, newAccount(invitation, passwordHash), now));
    if (made && passkeyName !== undefined) {
      const userHandle = userHandleOf(foundation, invitation.id);
      await insertPasskey(transaction, made, { accountId, userHandle, name: passkeyName }, now);
    }
    const userId =
      invitation.userId === null
        ? await join(transaction, invitation, accountId, now)
        : await replaceAccount(transaction, invitation, invitation.userId, accountId, now);
    const { organizationId, name } = invitation;
    await endPresentedSession(transaction, presentedToken, organizationId, now);
    const member = { userId, organizationId, name };
    await openSession(transaction, foundation, {
      ...{ member, token, clientAddress, at: now },
      ...(made && { factorAt: now }),
      // A person who joins with the signed-in account keeps the proven factors and the sign-in time.
      ...(joining && { signedInAt: joining.signedInAt, factorAt: joining.factorAt }),
    });
  };
  await inShareOf(open.organizationId, () => database.transaction(accept));
  const [session] = await findSessions(database, [hashSessionToken(token)]);
  if (!session) throw notFound('invitation');
  const { principal: joined } = session;
  return { token, principal: joined, deviceToken: newDeviceToken(foundation, joined.accountId) };
}

const noPasskeys = (): never => {
  throw badUserInput('Passkeys are not available on this gateway.');
};

type OpenInvitation = RowOf<typeof InvitationEntity>;

/** Anyone who uses a link that was only mailed reads the mail of this address. */
const newAccount = ({ email, mailedAt }: OpenInvitation, passwordHash: string | null) => ({
  email,
  passwordHash,
  isAddressProven: mailedAt !== null,
});

export const openInvitations = (tokenHash: Uint8Array, at: Date) =>
  query
    .selectFrom('invitations')
    .select(columnsOf(InvitationEntity))
    .where('token_hash', '=', tokenHash)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at);

async function join(
  transaction: Transaction,
  { organizationId, email, name, permissions, id, invitedBy }: OpenInvitation,
  accountId: Id<'acc'>,
  at: Date,
): Promise<Id<'usr'>> {
  const user = { organizationId, accountId, email, name };
  return createUser(transaction, user, permissions, { actor: 'the member', grantedBy: invitedBy }, at, {
    invitation_id: id,
  });
}

/** Gives the member a new account. Sessions opened with the old one end. */
async function replaceAccount(
  transaction: Transaction,
  { organizationId, name, id, invitedBy }: OpenInvitation,
  userId: Id<'usr'>,
  accountId: Id<'acc'>,
  at: Date,
): Promise<Id<'usr'>> {
  const [user] = await transaction.rows(
    query
      .selectFrom('users')
      .select('account_id')
      .where('organization_id', '=', organizationId)
      .where('id', '=', userId)
      .where('ended_at', 'is', null)
      .forUpdate(),
  );
  if (!user) throw notFound('invitation');
  await transaction.rows(query.updateTable('users').set({ account_id: accountId }).where('id', '=', userId));
  await removeUnusedAccount(transaction, user.account_id);
  // Another person had the link, so someone else must allow this account to decide.
  await suspendDecidingPermissions(transaction, { organizationId, userId, grantedBy: invitedBy, at });
  const actor = { id: userId, name };
  await revokeInvitationsBy(transaction, { organizationId, actor }, userId, at);
  await endSessionsOfUser(transaction, organizationId, userId, 'password_changed', actor, at);
  await recordOfUser(transaction, { organizationId, ...actor }, 'user.password_changed', at, {
    invitation_id: id,
  });
  return userId;
}
