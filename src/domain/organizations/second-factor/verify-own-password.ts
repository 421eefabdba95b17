import type { UserPrincipal } from '../../access/index.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { comparePassword } from '../accounts/password.js';
import { admitAttempt, sessionAttempt, settleAttempt } from '../sign-in-limits/sign-in-failures.js';

/**
 * The stored hash, if `password` is the caller's and a required second factor was proven. Failures count and lock like failed
 * sign-ins, so that a stolen session cannot be used to guess the password.
 */
export async function verifyOwnPassword(
  foundation: Foundation,
  user: UserPrincipal,
  password: string,
  clientAddress: string,
  secondFactorProven = true,
): Promise<string | undefined> {
  const { database, sealer } = foundation;
  const [account] = await database.rows(
    query
      .selectFrom('accounts')
      .select(['email', 'password_hash as passwordHash'])
      .where('id', '=', user.accountId),
  );
  const email = account?.email ?? user.email;
  const stored = account?.passwordHash ?? null;
  const attempt = sessionAttempt(sealer, { ...user, email }, clientAddress);
  await admitAttempt(foundation, attempt);
  const matches = await comparePassword(sealer, { email, password }, { clientAddress, isKnown: true });
  const proven = (await matches(stored)) && secondFactorProven;
  await settleAttempt(foundation, attempt, proven);
  return proven ? (stored ?? undefined) : undefined;
}
