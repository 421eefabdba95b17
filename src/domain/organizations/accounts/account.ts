import { type EventType, type LogObject, recordActivity } from '../../activity-log/index.js';
import { query, type Reader, type Transaction, valuesOf } from '../../../platform/database/index.js';
import { type Id, newId } from '../../../platform/kernel/ids.js';
import { AccountEntity } from './account.entity.js';

/** Creates an account. Another account may have the same e-mail address. */
export async function createAccount(
  transaction: Transaction,
  {
    isAddressProven,
    ...account
  }: { readonly email: string; readonly passwordHash: string | null; readonly isAddressProven: boolean },
  at: Date,
): Promise<Id<'acc'>> {
  const id = newId('acc');
  await transaction.rows(
    query.insertInto('accounts').values(
      valuesOf(AccountEntity, {
        ...account,
        id,
        createdAt: at,
        addressProvenAt: isAddressProven ? at : null,
      }),
    ),
  );
  return id;
}

/** Serializes changes of the account's sign-in methods. */
export async function lockAccount(transaction: Transaction, id: Id<'acc'>): Promise<void> {
  await transaction.rows(query.selectFrom('accounts').select('id').where('id', '=', id).forNoKeyUpdate());
}

/** Deletes an account that has no membership anymore. */
export async function removeUnusedAccount(transaction: Transaction, id: Id<'acc'> | null): Promise<void> {
  if (id === null) return;
  await transaction.rows(
    query
      .deleteFrom('accounts')
      .where('id', '=', id)
      .where((account) =>
        account.not(
          account.exists(account.selectFrom('users').select('users.id').where('users.account_id', '=', id)),
        ),
      ),
  );
}

type AccountEvent = Extract<EventType, `user.${string}`>;

/** The user of an account in one organization. */
interface AccountUser {
  readonly id: Id<'usr'>;
  readonly organizationId: Id<'org'>;
  readonly name: string;
}

/** The users of the account: one in each organization where the person is a member. */
export function usersOfAccount(transaction: Transaction, accountId: Id<'acc'>): Promise<AccountUser[]> {
  return transaction.rows(
    query
      .selectFrom('users')
      .select(['id', 'organization_id as organizationId', 'name'])
      .where('account_id', '=', accountId)
      .where('ended_at', 'is', null)
      .orderBy('id'),
  );
}

/** Records a change of the account in the log of each organization of the person. */
export async function recordOfAccount(
  transaction: Transaction,
  accountId: Id<'acc'>,
  eventType: AccountEvent,
  at: Date,
  details: LogObject = {},
): Promise<void> {
  for (const user of await usersOfAccount(transaction, accountId))
    await recordOfUser(transaction, user, eventType, at, details);
}

export async function recordOfUser(
  transaction: Transaction,
  { id, organizationId, name }: AccountUser,
  eventType: AccountEvent,
  at: Date,
  details: LogObject = {},
): Promise<void> {
  await recordActivity(transaction, {
    organizationId,
    eventType,
    actor: { id, name },
    object: { user_id: id },
    details,
    at,
  });
}

/** Whether a person has a password. */
export async function hasPassword(reader: Reader, accountId: Id<'acc'>): Promise<boolean> {
  const [account] = await reader.rows(
    query
      .selectFrom('accounts')
      .select((accounts) => accounts('password_hash', 'is not', null).$castTo<boolean>().as('has'))
      .where('id', '=', accountId),
  );
  return account?.has ?? false;
}
