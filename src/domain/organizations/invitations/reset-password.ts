import { countInWindows, type Foundation, query } from '../../../platform/database/index.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import { LucarneError, notFound, parseMembers } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { recordOfAccount } from '../accounts/account.js';
import { foldEmail, parseEmail } from '../accounts/parse-email.js';
import { endSessionsOfAccount } from '../sessions/sessions.js';
import { newDeviceToken } from '../sign-in-limits/known-device.js';
import { hashPassword, parsePassword } from '../accounts/password.js';
import {
  hashLinkToken,
  linkTo,
  newLinkToken,
  PASSWORD_RESET_KEPT_MS,
  PASSWORD_RESET_LIFETIME_MS,
} from './link.js';
import type { PublicSite, Mailer } from '../public-site.js';

const MAX_REQUESTS_PER_CLIENT = 10;

/**
 * Sends a link for a new password to each account of an e-mail address, unless one was sent in the last five minutes, so
 * that further requests neither replace the link nor flood the mailbox. An account that signs in only with the identity
 * provider gets none. The response is sent before the lookup, and is the
 * same whether an account exists or not.
 */
export async function requestPasswordReset(
  foundation: Foundation,
  site: PublicSite,
  input: { readonly email: string },
  clientAddress: string,
): Promise<void> {
  const { mailer } = site;
  if (!mailer) throw new LucarneError('NOT_FOUND', 'Ask an owner of your organization for a new link.');
  const email = parseEmail('email', input.email);
  await countInWindows(foundation, [
    { key: `password-reset:client:${clientNetwork(clientAddress)}`, limit: MAX_REQUESTS_PER_CLIENT },
  ]);
  void mailLinks(foundation, site, mailer, email).catch((thrown: unknown) =>
    foundation.log.warn({ err: thrown }, 'Mailing a password reset failed.'),
  );
}

async function mailLinks(
  foundation: Foundation,
  { origin }: PublicSite,
  mailer: Mailer,
  email: string,
): Promise<void> {
  const { clock, database, random } = foundation;
  const memberships = await database.rows(
    query
      .selectFrom('accounts')
      .innerJoin('users', 'users.account_id', 'accounts.id')
      .innerJoin('organizations', 'organizations.id', 'users.organization_id')
      .select([
        'accounts.id as accountId',
        'accounts.email as email',
        'organizations.name as organizationName',
      ])
      .where((row) =>
        row(row.fn<string>('lower', ['accounts.email']), '=', row.fn<string>('lower', [row.val(email)])),
      )
      .where('users.ended_at', 'is', null)
      // Reading someone's e-mail must not replace what the identity provider asks for.
      .where((row) =>
        row.or([row('accounts.oidc_subject', 'is', null), row('accounts.password_hash', 'is not', null)]),
      )
      .orderBy('users.id'),
  );
  const organizations = new Map<Id<'acc'>, string[]>();
  for (const { accountId, email: stored, organizationName } of memberships) {
    if (foldEmail(stored) !== foldEmail(email)) continue;
    organizations.set(accountId, [...(organizations.get(accountId) ?? []), organizationName]);
  }
  for (const [accountId, names] of organizations) {
    const token = newLinkToken(random);
    const expiresAt = clock.now().getTime() + PASSWORD_RESET_LIFETIME_MS;
    const reset = { token_hash: hashLinkToken(token), expires_at: new Date(expiresAt) };
    const written = await database.transaction((transaction) =>
      transaction.rows(
        query
          .insertInto('password_resets')
          .values({ account_id: accountId, ...reset })
          .onConflict((row) =>
            row
              .column('account_id')
              .doUpdateSet(reset)
              .where('password_resets.expires_at', '<=', new Date(expiresAt - PASSWORD_RESET_KEPT_MS)),
          )
          .returning('account_id'),
      ),
    );
    if (written.length === 0) continue;
    const link = linkTo(origin(), 'password-reset', token);
    try {
      await mailer.send({ to: email, subject: 'A new password', text: letter(names, link) });
    } catch (thrown) {
      // Nobody received it, so the next request need not wait.
      await database.transaction((transaction) =>
        transaction.rows(query.deleteFrom('password_resets').where('token_hash', '=', reset.token_hash)),
      );
      throw thrown;
    }
  }
}

/**
 * Sets another password with a link of {@link requestPasswordReset}, and ends all sessions of the account. A second factor
 * stays, so e-mail alone does not open an account that has one.
 */
export async function resetPassword(
  foundation: Foundation,
  input: { readonly token: string; readonly newPassword: string },
): Promise<{ readonly deviceToken: string }> {
  const { clock, database } = foundation;
  const tokenHash = hashLinkToken(input.token);
  const [reset] = await database.rows(
    query
      .selectFrom('password_resets')
      .innerJoin('accounts', 'accounts.id', 'password_resets.account_id')
      .select(['accounts.id as accountId', 'accounts.email as email'])
      .where('token_hash', '=', tokenHash)
      .where('expires_at', '>', clock.now()),
  );
  if (!reset) throw notFound('password reset');
  const { newPassword } = parseMembers({
    newPassword: () => parsePassword('newPassword', input.newPassword, [reset.email]),
  });
  const passwordHash = await hashPassword(foundation, reset.email, newPassword);
  await database.transaction(async (transaction) => {
    const used = await transaction.rows(
      query
        .deleteFrom('password_resets')
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', clock.now())
        .returning('account_id'),
    );
    if (used.length === 0) throw notFound('password reset');
    const now = clock.now();
    // The person reads the mail of this address.
    await transaction.rows(
      query
        .updateTable('accounts')
        .set({ password_hash: passwordHash, address_proven_at: now })
        .where('id', '=', reset.accountId),
    );
    await recordOfAccount(transaction, reset.accountId, 'user.password_changed', now, { by: 'mailed_link' });
    await endSessionsOfAccount(transaction, reset.accountId, 'password_changed', now);
  });
  // The person who reads the e-mail counts as known, so that guesses of others do not delay the following sign-in.
  return { deviceToken: newDeviceToken(foundation, reset.accountId) };
}

const letter = (organizationNames: readonly string[], link: string) =>
  `Somebody, probably you, asked for a new password for ${organizationNames.join(', ')}. Open this link within an hour:

${link}

The link works once. If you did not ask for it, ignore this e-mail: your password stays as it is.
`;
