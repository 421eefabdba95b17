import type { ExpressionBuilder } from 'kysely';
import { query, type Tables, type Transaction } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** A membership that a person signs in to. */
export interface Membership {
  readonly accountId: Id<'acc'>;
  readonly userId: Id<'usr'>;
  readonly organizationId: Id<'org'>;
  readonly name: string;
  readonly accountEmail: string;
  readonly hasSecondFactor: boolean;
}

/** Whether the membership has not ended. Locks it until the transaction ends, so no session outlives it. */
export async function lockMembership(
  transaction: Transaction,
  { userId, accountId }: Pick<Membership, 'userId' | 'accountId'>,
): Promise<boolean> {
  const users = await transaction.rows(
    query
      .selectFrom('users')
      .select('id')
      .where('id', '=', userId)
      .where('account_id', '=', accountId)
      .where('ended_at', 'is', null)
      .forShare(),
  );
  return users.length === 1;
}

/** A condition: the account has an authenticator or a passkey. */
export const hasSecondFactor = (account: ExpressionBuilder<Tables, 'accounts'>) =>
  account.or([
    account('accounts.sealed_totp_secret', 'is not', null),
    account.exists(
      account
        .selectFrom('passkeys')
        .select('passkeys.id')
        .whereRef('passkeys.account_id', '=', 'accounts.id'),
    ),
  ]);

/** The memberships that have not ended, of certain accounts. Those with the latest session come first. */
export const memberships = query
  .selectFrom('accounts')
  .innerJoin('users', 'users.account_id', 'accounts.id')
  .select((row) => [
    'accounts.id as accountId',
    'users.id as userId',
    'users.organization_id as organizationId',
    'users.name as name',
    'accounts.email as accountEmail',
    hasSecondFactor(row).$castTo<boolean>().as('hasSecondFactor'),
  ])
  .where('users.ended_at', 'is', null)
  .orderBy(
    (row) =>
      row
        .selectFrom('sessions')
        .select((session) => session.fn.max('sessions.id').as('newest'))
        .whereRef('sessions.user_id', '=', 'users.id'),
    (order) => order.desc().nullsLast(),
  )
  .orderBy('users.id');

/** The memberships of an e-mail address as the database compares it. It may find more than `foldEmail` considers equal. */
export const membershipsOfEmail = (email: string) =>
  memberships.where((row) =>
    row(row.fn<string>('lower', ['accounts.email']), '=', row.fn<string>('lower', [row.val(email)])),
  );
