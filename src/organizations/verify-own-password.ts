import { sql, type Foundation } from '../database/index.js';
import { verifyPassword } from './password.js';
import type { UserPrincipal } from './principal.js';
import { attemptKey, recordFailure, refuseLockedOut, serializeAttempts } from './sign-in-failures.js';

/**
 * The hash of the user's password when `password` is it, and the second factor, where one is asked for, was proven too.
 * Wrong ones count as failed sign-ins, and lock out alike.
 */
export async function verifyOwnPassword(
  foundation: Foundation,
  user: UserPrincipal,
  password: string,
  clientAddress: string,
  secondFactorProven = true,
): Promise<string | undefined> {
  const { clock, database } = foundation;
  const attempt = attemptKey(user.email, clientAddress);
  await refuseLockedOut(database, attempt, clock.now());
  const [row] = await database.rows(sql<{ passwordHash: string | null }>`
    select password_hash as "passwordHash" from users where id = ${user.userId}`);
  const matches = (await verifyPassword(row?.passwordHash, password, clientAddress)) && secondFactorProven;
  await database.transaction(async (transaction) => {
    await serializeAttempts(transaction, attempt);
    await refuseLockedOut(transaction, attempt, clock.now());
    if (!matches) await recordFailure(transaction, attempt, clock.now());
  });
  return matches ? (row?.passwordHash ?? undefined) : undefined;
}
