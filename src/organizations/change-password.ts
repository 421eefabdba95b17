import { sql, type Foundation } from '../database/index.js';
import { badUserInput, conflict } from '../kernel/errors.js';
import { hashPassword, parsePassword } from './password.js';
import { actorOf, requireUser, type Principal } from './principal.js';
import { endSessionsOfUser } from './sessions.js';
import { verifyOwnPassword } from './verify-own-password.js';

/**
 * Changes the caller's password and ends all of the caller's sessions, this one too. A wrong `currentPassword` counts
 * as a failed sign-in: a stolen session must not be a place to guess it.
 */
export async function changePassword(
  foundation: Foundation,
  principal: Principal | undefined,
  input: { readonly currentPassword: string; readonly newPassword: string },
  clientAddress: string,
): Promise<void> {
  const user = requireUser(principal);
  const newPassword = parsePassword('newPassword', input.newPassword);
  const currentHash = await verifyOwnPassword(foundation, user, input.currentPassword, clientAddress);
  if (currentHash === undefined)
    throw badUserInput('currentPassword is wrong.', {
      denial: { event: 'password.refused', account: user.email },
    });
  const newHash = await hashPassword(newPassword);
  await foundation.database.transaction(async (transaction) => {
    const changed = await transaction.rows(sql`
      update users set password_hash = ${newHash}
      where id = ${user.userId} and password_hash = ${currentHash} returning id`);
    if (changed.length === 0) throw conflict('The password was changed meanwhile.');
    await endSessionsOfUser(
      transaction,
      user.organizationId,
      user.userId,
      'password_changed',
      actorOf(user),
      foundation.clock.now(),
    );
  });
}
