import { sha256 } from '../../crypto/index.js';
import { sql, type Foundation, type Reader, type Transaction } from '../../database/index.js';
import { unauthenticated } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import { foldEmail } from '../parse-email.js';
import type { UserPrincipal } from '../principal.js';
import { hashSessionToken, newSessionToken, type SessionToken } from '../session-lifetime.js';
import { endPresentedSession, findSessions, openSession } from '../sessions.js';
import type { AuthorizationResponse, Identity, OpenIdProvider } from './openid-provider.js';
import {
  openAttempt,
  signInRefused,
  USED_ATTEMPT_MILLISECONDS,
  type SignInAttempt,
} from './sign-in-attempt.js';
import { requireProvider } from './start-oidc-sign-in.js';

/** The cookies that the browser brought. */
export interface PresentedCookies {
  readonly attempt: string | undefined;
  readonly session: string | undefined;
}

/**
 * Opens a session for the member whom the provider vouches for: whose subject it is, or at the first time whose verified
 * e-mail address. It never makes a user. An attempt is used once, whatever becomes of it. A member who has a second
 * factor here is let in only when the provider says that it asked for one too (`docs/decisions/0010`).
 */
export async function completeOidcSignIn(
  foundation: Foundation,
  provider: OpenIdProvider | undefined,
  response: AuthorizationResponse,
  presented: PresentedCookies,
  clientAddress: string,
): Promise<{ readonly token: SessionToken; readonly principal: UserPrincipal; readonly returnTo: string }> {
  const configured = requireProvider(provider);
  const { clock, database, random } = foundation;
  const attempt = openAttempt(foundation, presented.attempt, response.state);
  await useUp(foundation, attempt);
  const identity = await configured.identify(attempt, response, clientAddress);
  const account = await findAccount(database, identity);
  if (!account) throw signInRefused();
  if (account.hasSecondFactor && !identity.multiFactor) throw secondFactorMissing(account);

  const token = newSessionToken(random);
  const opened = await database.transaction(async (transaction) => {
    const now = clock.now();
    if (!(await confirmAccount(transaction, account, identity))) return false;
    await endPresentedSession(transaction, presented.session, now);
    await openSession(transaction, account, token, clientAddress, now, {
      identity_provider: identity.issuer,
      linked: !account.isLinked,
    });
    return true;
  });
  const [session] = opened ? await findSessions(database, [hashSessionToken(token)]) : [];
  if (!session) throw signInRefused();
  return { token, principal: session.principal, returnTo: attempt.returnTo };
}

/** Notes the attempt as used, or refuses it when it was; and forgets some that are over, whosever they are. */
async function useUp({ clock, database }: Foundation, { state }: SignInAttempt): Promise<void> {
  const now = clock.now();
  const used = await database.transaction(async (transaction) => {
    await transaction.rows(sql`
      delete from used_sign_in_attempts where ctid in (
        select ctid from used_sign_in_attempts
        where used_at <= ${new Date(now.getTime() - USED_ATTEMPT_MILLISECONDS)} limit 100 for update skip locked)`);
    return transaction.rows(sql`
      insert into used_sign_in_attempts (state_hash, used_at) values (${sha256(state)}, ${now})
      on conflict do nothing returning used_at`);
  });
  if (used.length === 0) throw signInRefused();
}

interface Account {
  readonly userId: Id<'usr'>;
  readonly organizationId: Id<'org'>;
  readonly name: string;
  readonly email: string;
  readonly hasSecondFactor: boolean;
  readonly isLinked: boolean;
}

async function findAccount(reader: Reader, identity: Identity): Promise<Account | undefined> {
  const [linked] = await reader.rows(sql<Account>`
    ${accountColumns} where u.oidc_subject = ${subjectOf(identity)}`);
  if (linked) return linked;
  const email = await identity.verifiedEmail();
  if (email === undefined) return undefined;
  const [member] = await reader.rows(sql<Account>`
    ${accountColumns} where lower(u.email) = lower(${email}) and u.oidc_subject is null`);
  return member && foldEmail(member.email) === foldEmail(email) ? member : undefined;
}

/** Links the account at the first time. Whether what was found still holds; locks it until the session is there. */
async function confirmAccount(
  transaction: Transaction,
  account: Account,
  identity: Identity,
): Promise<boolean> {
  const subject = subjectOf(identity);
  const users = await transaction.rows(sql`
    update users set oidc_subject = ${subject}
    where id = ${account.userId} and (sealed_totp_secret is not null) = ${account.hasSecondFactor}
      and case when ${account.isLinked} then oidc_subject = ${subject}
        else oidc_subject is null and not exists (select from users where oidc_subject = ${subject}) end
    returning id`);
  const memberships = await transaction.rows(sql`
    select user_id from memberships
    where user_id = ${account.userId} and organization_id = ${account.organizationId} for share`);
  return users.length === 1 && memberships.length === 1;
}

const accountColumns = sql`
  select u.id as "userId", m.organization_id as "organizationId", u.name, u.email,
    u.sealed_totp_secret is not null as "hasSecondFactor", u.oidc_subject is not null as "isLinked"
  from users u join memberships m on m.user_id = u.id`;

/** A subject is unique only within its issuer, whose URL has no space. */
const subjectOf = ({ issuer, subject }: Identity) => `${issuer} ${subject}`;

const secondFactorMissing = ({ email }: Account) =>
  unauthenticated(
    'Your account has a second factor, and the identity provider did not ask for one. Sign in with your password.',
    { reason: 'second_factor_required', denial: { event: 'sign_in.refused', account: email } },
  );
