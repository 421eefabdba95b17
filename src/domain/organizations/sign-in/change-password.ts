import { freshFactorRequired, hasFreshFactor, type Principal, requireSignedIn } from '../../access/index.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { conflict, invalidMember } from '../../../platform/kernel/errors.js';
import { recordOfAccount } from '../accounts/account.js';
import { factorsOf, hasFactor } from '../second-factor/factors-of-account.js';
import { endSessionsOfAccount, requireSessionStill } from '../sessions/sessions.js';
import { formsOf } from '../accounts/keyed-hash.js';
import { hashPassword, parsePassword } from '../accounts/password.js';
import { verifyOwnPassword } from '../second-factor/verify-own-password.js';

/**
 * Changes the caller's password and ends all sessions of the caller's account, in every organization, including this one.
 * Needs the password, and a fresh second factor if the account has one.
 */
export async function changePassword(
  foundation: Foundation,
  principal: Principal | undefined,
  input: { readonly currentPassword: string; readonly newPassword: string },
  clientAddress: string,
): Promise<void> {
  const user = requireSignedIn(principal);
  const newPassword = parsePassword('newPassword', input.newPassword, [user.email, user.name]);
  const factors = await factorsOf(foundation.database, user.accountId);
  if (hasFactor(factors) && !hasFreshFactor(user, foundation.clock.now()))
    throw freshFactorRequired('changePassword');
  const currentHash = await verifyOwnPassword(foundation, user, input.currentPassword, clientAddress);
  if (currentHash === undefined) {
    throw invalidMember('currentPassword', 'is wrong', {
      denial: { event: 'password.refused', account: user.email },
    });
  }
  const [account] = await foundation.database.rows(
    query.selectFrom('accounts').select('email').where('id', '=', user.accountId),
  );
  const newHash = await hashPassword(foundation, account?.email ?? user.email, newPassword);
  await foundation.database.transaction(async (transaction) => {
    const changed = await transaction.rows(
      query
        .updateTable('accounts')
        .set({ password_hash: newHash })
        .where('id', '=', user.accountId)
        .where('password_hash', 'in', formsOf(foundation.sealer, currentHash))
        .returning('id'),
    );
    if (changed.length === 0) throw conflict('The password was changed in the meantime.');
    await requireSessionStill(transaction, user);
    // A mailed link would replace the new password.
    await transaction.rows(query.deleteFrom('password_resets').where('account_id', '=', user.accountId));
    const now = foundation.clock.now();
    await recordOfAccount(transaction, user.accountId, 'user.password_changed', now);
    await endSessionsOfAccount(transaction, user.accountId, 'password_changed', now);
  });
}
