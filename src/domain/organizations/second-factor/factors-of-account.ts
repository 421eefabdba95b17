import { query, type Reader, type Transaction } from '../../../platform/database/index.js';
import { conflict, invalidMember } from '../../../platform/kernel/errors.js';
import type { Foundation } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import {
  freshFactorRequired,
  FRESH_FACTOR_MS,
  hasFreshFactor,
  type UserPrincipal,
} from '../../access/index.js';
import { verifyOwnPassword } from './verify-own-password.js';

/** The sign-in methods of an account. */
export interface Factors {
  readonly password: boolean;
  readonly totp: boolean;
  readonly passkeys: number;
  readonly recoveryCodes: number;
  readonly openId: boolean;
}

export async function factorsOf(reader: Reader, accountId: Id<'acc'>): Promise<Factors> {
  const [factors] = await reader.rows(
    query
      .selectFrom('accounts')
      .select((account) => [
        account('password_hash', 'is not', null).$castTo<boolean>().as('password'),
        account('sealed_totp_secret', 'is not', null).$castTo<boolean>().as('totp'),
        account('oidc_subject', 'is not', null).$castTo<boolean>().as('openId'),
        account
          .selectFrom('passkeys')
          .select((passkey) => passkey.fn.countAll<string>().as('count'))
          .whereRef('passkeys.account_id', '=', 'accounts.id')
          .as('passkeys'),
        account
          .selectFrom('recovery_codes')
          .select((code) => code.fn.countAll<string>().as('count'))
          .whereRef('recovery_codes.account_id', '=', 'accounts.id')
          .as('recoveryCodes'),
      ])
      .where('accounts.id', '=', accountId),
  );
  if (!factors) throw conflict('The account was changed in the meantime. Try again.');
  return {
    ...factors,
    passkeys: Number(factors.passkeys ?? 0),
    recoveryCodes: Number(factors.recoveryCodes ?? 0),
  };
}

/** Recovery codes replace a factor, but are not a factor. */
export const hasFactor = ({ totp, passkeys }: Factors): boolean => totp || passkeys > 0;

/**
 * Runs after a factor was removed, in a transaction that holds the account's lock. With the last factor, the recovery codes
 * are deleted. The last factor cannot be removed if any organization of the person requires one, whatever the session.
 */
export async function settleFactors(transaction: Transaction, accountId: Id<'acc'>): Promise<Factors> {
  const left = await factorsOf(transaction, accountId);
  if (hasFactor(left)) return left;
  const requiring = await transaction.rows(
    query
      .selectFrom('users')
      .innerJoin('organizations', 'organizations.id', 'users.organization_id')
      .select('organizations.id')
      .where('users.account_id', '=', accountId)
      .where('users.ended_at', 'is', null)
      .where('organizations.require_second_factor', '=', true)
      .limit(1),
  );
  if (requiring.length > 0)
    throw conflict('Your organization requires a second factor: add another one first.');
  await transaction.rows(query.deleteFrom('recovery_codes').where('account_id', '=', accountId));
  return left;
}

/**
 * The proof required to change sign-in methods, so that a stolen session is not enough: a fresh second factor; without any
 * factor, the password, or a session that the identity provider opened within five minutes.
 */
export async function requireOwnProof(
  foundation: Foundation,
  user: UserPrincipal,
  password: string | null | undefined,
  clientAddress: string,
): Promise<void> {
  const now = foundation.clock.now();
  if (hasFreshFactor(user, now)) return;
  const factors = await factorsOf(foundation.database, user.accountId);
  if (hasFactor(factors)) throw freshFactorRequired();
  if (!factors.password && now.getTime() - user.signedInAt.getTime() < FRESH_FACTOR_MS) return;
  if (!password) throw invalidMember('password', 'is needed');
  if ((await verifyOwnPassword(foundation, user, password, clientAddress)) === undefined) {
    throw invalidMember('password', 'is wrong', {
      denial: { event: 'password.refused', account: user.email },
    });
  }
}
