import type { ExpressionBuilder } from 'kysely';
import { sha256 } from '../../../platform/crypto/index.js';
import {
  countInWindows,
  type Foundation,
  query,
  type Reader,
  type Tables,
  type Transaction,
} from '../../../platform/database/index.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import { unauthenticated } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { foldEmail } from '../accounts/parse-email.js';
import {
  findSessions,
  FRESH_FACTOR_MS,
  hashSessionToken,
  newSessionToken,
  type SessionToken,
  type UserPrincipal,
} from '../../access/index.js';
import { lockAccount, recordOfAccount, removeUnusedAccount } from '../accounts/account.js';
import { endPresentedSession, endSessionsOfAccount, openSession } from '../sessions/sessions.js';
import { useOnce } from '../sessions/use-once.js';
import type { AuthorizationResponse, Identity, OpenIdProvider } from './openid-provider.js';
import { openAttempt, type SignInAttempt, signInRefused } from './sign-in-attempt.js';
import { requireProvider } from './start-oidc-sign-in.js';
import {
  hasSecondFactor,
  lockMembership,
  type Membership,
  memberships,
  membershipsOfEmail,
} from '../accounts/membership.js';

/**
 * Each attempt sends a request to the provider. The limit keeps invented codes from delaying other sign-ins, and the
 * provider from blocking the gateway.
 */
const MAX_ATTEMPTS_PER_CLIENT = 60;

/** The cookies of the browser. */
export interface PresentedCookies {
  readonly attempt: string | undefined;
  readonly session: string | undefined;
}

/**
 * Opens a session for the member whom the provider confirms: by its subject, or the first time by the verified e-mail
 * address. All accounts of the address are then merged, and only that person can use the result. No user is created. An
 * attempt is used once, whether it succeeds or not. A member with a second factor in Lucarne is accepted only if the
 * provider states that it required one too (`docs/decisions/0010`).
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
  await countInWindows(foundation, [
    { key: `sign-in:oidc:${clientNetwork(clientAddress)}`, limit: MAX_ATTEMPTS_PER_CLIENT },
  ]);
  await useUp(foundation, attempt);
  const identity = await configured.identify(attempt, response, clientAddress);
  const account = await findMembership(database, identity);
  if (!account) throw signInRefused();
  if (account.hasSecondFactor && !identity.multiFactor) throw secondFactorMissing(account);

  const token = newSessionToken(random);
  const opened = await database.transaction(async (transaction) => {
    const now = clock.now();
    if (!(await confirmMembership(transaction, account, identity, now))) return false;
    if (!account.isLinked) {
      await removeOtherSignIns(transaction, account.accountId, now);
      for (const accountId of account.others)
        await joinToLinked(transaction, accountId, account.accountId, identity, now);
    }
    await endPresentedSession(transaction, presented.session, account.organizationId, now);
    await openSession(transaction, foundation, {
      ...{ member: account, token, clientAddress, at: now },
      factorAt: factorAtOf(identity, now),
      signedInAt: signedInAtOf(identity, now),
      details: { identity_provider: identity.issuer, linked: !account.isLinked },
    });
    return true;
  });
  const [session] = opened ? await findSessions(database, [hashSessionToken(token)]) : [];
  if (!session) throw signInRefused();
  return { token, principal: session.principal, returnTo: attempt.returnTo };
}

/** A factor of which the provider does not say when it was proven opens the session, but is not fresh. */
const factorAtOf = ({ multiFactor, authenticatedAt }: Identity, now: Date): Date | null =>
  multiFactor ? (authenticatedAt ?? new Date(now.getTime() - FRESH_FACTOR_MS)) : null;

/**
 * A sign-in of the last five minutes replaces a password as proof of the person, so it must not be newer than the provider's own.
 * It is not much older either: the session lasts as long as any other.
 */
const signedInAtOf = ({ authenticatedAt }: Identity, now: Date): Date =>
  new Date(Math.max((authenticatedAt ?? now).getTime(), now.getTime() - FRESH_FACTOR_MS));

/** Marks the attempt as used. Refuses it if it was used before. Also removes some expired attempts, of any user. */
async function useUp({ clock, database }: Foundation, { state }: SignInAttempt): Promise<void> {
  const now = clock.now();
  const isFirst = await database.transaction((transaction) => useOnce(transaction, sha256(state), now));
  if (!isFirst) throw signInRefused();
}

/** A membership that the identity signs in to. */
interface OidcMembership extends Membership {
  readonly isLinked: boolean;
  /** Other accounts of the address, which the identity also opens. */
  readonly others: readonly Id<'acc'>[];
}

async function findMembership(reader: Reader, identity: Identity): Promise<OidcMembership | undefined> {
  const [linked] = await reader.rows(
    memberships.where('accounts.oidc_subject', '=', subjectOf(identity)).limit(1),
  );
  if (linked) return { ...linked, isLinked: true, others: [] };
  const email = await identity.verifiedEmail();
  if (email === undefined) return undefined;
  const unlinked = await reader.rows(membershipsOfEmail(email).where('accounts.oidc_subject', 'is', null));
  const ofAddress = unlinked
    .filter(({ accountEmail }) => foldEmail(accountEmail) === foldEmail(email))
    .toSorted((one, other) => compareIds(one.accountId, other.accountId));
  // The oldest account. An account that another organization creates for the address later does not replace it, and accounts
  // created earlier do not lock the person out of the others.
  const opened = ofAddress.filter(({ hasSecondFactor }) => identity.multiFactor || !hasSecondFactor);
  const found = opened[0] ?? ofAddress[0];
  if (!found) return undefined;
  const others = new Set(opened.map(({ accountId }) => accountId));
  others.delete(found.accountId);
  return { ...found, isLinked: false, others: [...others] };
}

/** Links the account the first time. Returns whether the account is still unchanged; locks it until the session exists. */
async function confirmMembership(
  transaction: Transaction,
  membership: OidcMembership,
  identity: Identity,
  at: Date,
): Promise<boolean> {
  const subject = subjectOf(identity);
  const accounts = await transaction.rows(
    query
      .updateTable('accounts')
      .set((row) => ({
        oidc_subject: subject,
        address_proven_at: row.fn.coalesce('address_proven_at', row.val(at)),
      }))
      .where('id', '=', membership.accountId)
      .$if(!membership.hasSecondFactor, (account) => account.where(hasNoFactor))
      .$if(membership.isLinked, (account) => account.where('oidc_subject', '=', subject))
      .$if(!membership.isLinked, (account) =>
        account
          .where('oidc_subject', 'is', null)
          .where((row) =>
            row.not(
              row.exists(
                row
                  .selectFrom('accounts as others')
                  .select('others.id')
                  .where('others.oidc_subject', '=', subject),
              ),
            ),
          ),
      )
      .returning('id'),
  );
  return accounts.length === 1 && (await lockMembership(transaction, membership));
}

/**
 * Removes every other sign-in method of the account. Until now no one had proven ownership of the address: the person who
 * accepted the invitation may be someone else, who would have access to everything that the owner of the address joins with
 * this account. Each removal is logged.
 */
async function removeOtherSignIns(transaction: Transaction, accountId: Id<'acc'>, at: Date): Promise<void> {
  const details = { by: 'identity_provider' };
  const [account] = await transaction.rows(
    query
      .selectFrom('accounts')
      .select(['password_hash as passwordHash', 'sealed_totp_secret as sealedTotpSecret'])
      .where('id', '=', accountId),
  );
  await transaction.rows(
    query
      .updateTable('accounts')
      .set({ password_hash: null, sealed_totp_secret: null })
      .where('id', '=', accountId),
  );
  const passkeys = await transaction.rows(
    query.deleteFrom('passkeys').where('account_id', '=', accountId).returning('id'),
  );
  await transaction.rows(query.deleteFrom('recovery_codes').where('account_id', '=', accountId));
  await transaction.rows(query.deleteFrom('password_resets').where('account_id', '=', accountId));
  if (account?.passwordHash)
    await recordOfAccount(transaction, accountId, 'user.password_changed', at, details);
  if (account?.sealedTotpSecret)
    await recordOfAccount(transaction, accountId, 'user.totp_disabled', at, details);
  for (const { id } of passkeys)
    await recordOfAccount(transaction, accountId, 'user.passkey_removed', at, { ...details, passkey_id: id });
  await endSessionsOfAccount(transaction, accountId, 'password_changed', at);
}

/**
 * Moves the memberships of another account of the same address to the linked one, as if the person had joined with it. The
 * other account does not change if both are members of one organization, if it was linked meanwhile, or if it has a second
 * factor that the provider did not require.
 */
async function joinToLinked(
  transaction: Transaction,
  accountId: Id<'acc'>,
  linkedId: Id<'acc'>,
  { multiFactor }: Identity,
  at: Date,
): Promise<void> {
  const organizationsOf = (id: Id<'acc'>) =>
    query
      .selectFrom('users')
      .select('organization_id')
      .where('account_id', '=', id)
      .where('ended_at', 'is', null);
  await lockAccount(transaction, accountId);
  const [joined] = await transaction.rows(
    query
      .selectFrom('accounts')
      .select('id')
      .where('id', '=', accountId)
      .where('oidc_subject', 'is', null)
      .where((account) =>
        account.not(
          account.exists(
            organizationsOf(accountId).where('organization_id', 'in', organizationsOf(linkedId)),
          ),
        ),
      )
      .$if(!multiFactor, (account) => account.where(hasNoFactor)),
  );
  if (!joined) return;
  await removeOtherSignIns(transaction, accountId, at);
  await transaction.rows(
    query
      .updateTable('users')
      .set({ account_id: linkedId })
      .where('account_id', '=', accountId)
      .where('ended_at', 'is', null),
  );
  await removeUnusedAccount(transaction, accountId);
}

/** A condition: the account has neither an authenticator nor a passkey. */
const hasNoFactor = (account: ExpressionBuilder<Tables, 'accounts'>) => account.not(hasSecondFactor(account));

const compareIds = (one: string, other: string) => (one < other ? -1 : Number(one > other));

/** A subject is unique only within its issuer, and the issuer's URL has no space. */
const subjectOf = ({ issuer, subject }: Identity) => `${issuer} ${subject}`;

const secondFactorMissing = ({ accountEmail }: Pick<Membership, 'accountEmail'>) =>
  unauthenticated(
    'Your account has a second factor, and the identity provider did not require one. Sign in with your password.',
    { reason: 'second_factor_required', denial: { event: 'sign_in.refused', account: accountEmail } },
  );
