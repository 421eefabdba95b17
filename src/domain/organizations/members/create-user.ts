import { type Actor, grantPermissions, type PermissionSet } from '../../access/index.js';
import { type LogObject, personal, recordActivity } from '../../activity-log/index.js';
import { query, type Transaction, valuesOf, violatedConstraint } from '../../../platform/database/index.js';
import { conflict } from '../../../platform/kernel/errors.js';
import { type Id, newId } from '../../../platform/kernel/ids.js';
import { UserEntity } from './user.entity.js';

export interface NewUser {
  readonly organizationId: Id<'org'>;
  readonly accountId: Id<'acc'>;
  readonly email: string;
  readonly name: string;
}

/** The actor (the member or another person), and the granter of the permissions: the id of a user, or `operator`. */
export interface Grantor {
  readonly actor: Actor | 'the member';
  readonly grantedBy: string;
}

/**
 * Makes the account's person a member of the organization with `permissions`: always a new user, even if the person was a
 * member before. Throws `CONFLICT` if another member of this organization has the e-mail address or account.
 */
export async function createUser(
  transaction: Transaction,
  user: NewUser,
  permissions: PermissionSet,
  { actor, grantedBy }: Grantor,
  at: Date,
  details: LogObject = {},
): Promise<Id<'usr'>> {
  const { organizationId, name, email } = user;
  const id = newId('usr');
  try {
    await transaction.rows(
      query.insertInto('users').values(valuesOf(UserEntity, { ...user, id, createdAt: at, endedAt: null })),
    );
  } catch (thrown) {
    if (violatedConstraint(thrown) === 'users_email') {
      throw conflict('The e-mail address already belongs to a member.', { cause: thrown });
    }
    if (violatedConstraint(thrown) === 'users_account') {
      throw conflict('You are already a member.', { cause: thrown });
    }
    throw thrown;
  }
  await grantPermissions(transaction, { organizationId, userId: id, grantedBy, at }, permissions);
  await recordActivity(transaction, {
    organizationId,
    eventType: 'member.added',
    actor: actor === 'the member' ? { id, name } : actor,
    object: { user_id: id, name: personal(name), email: personal(email) },
    details: { permissions: loggedPermissions(permissions), ...details },
    at,
  });
  return id;
}

export const loggedPermissions = (set: PermissionSet) => ({
  owner: set.owner,
  applications: set.applications.map(({ foreignId, ...buckets }) => ({ foreign_id: foreignId, ...buckets })),
});
