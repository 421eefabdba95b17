import { personal, recordActivity, type Actor } from '../activity-log/index.js';
import { sql, violatedConstraint, type Transaction } from '../database/index.js';
import { conflict } from '../kernel/errors.js';
import { newId, type Id } from '../kernel/ids.js';
import { Membership } from './membership.entity.js';
import { replacePermissionSet } from './permission-grants.js';
import type { PermissionSet } from './permission-set.js';
import { parseText } from '../kernel/text.js';
import { parseEmail } from './parse-email.js';
import { parsePassword } from './password.js';
import { User } from './user.entity.js';

export interface NewUserInput {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** Refuses what cannot be a user, naming the member behind `prefix`. */
export function parseNewUser(input: NewUserInput, prefix = ''): NewUserInput {
  return {
    email: parseEmail(`${prefix}email`, input.email),
    name: parseText(`${prefix}name`, input.name, 128),
    password: parsePassword(`${prefix}password`, input.password),
  };
}

/**
 * Makes a user who is a member of the organization and holds `permissions`. An e-mail address that is a member's,
 * of whichever organization, is `CONFLICT`; that of someone who left is taken up again, with nothing it had before.
 */
export async function createUser(
  transaction: Transaction,
  organizationId: Id<'org'>,
  user: { readonly email: string; readonly name: string; readonly passwordHash: string },
  permissions: PermissionSet,
  actor: Actor,
  at: Date,
): Promise<Id<'usr'>> {
  const id = await insertUser(transaction, user, at);
  try {
    await transaction.em.insert(Membership, { userId: id, organizationId, createdAt: at });
  } catch (thrown) {
    // Someone who left was taken up by another organization at the same moment.
    throw violatedConstraint(thrown) === 'memberships_pkey' ? emailTaken(thrown) : thrown;
  }
  await replacePermissionSet(transaction, organizationId, id, permissions);
  await recordActivity(transaction, {
    organizationId,
    eventType: 'member.added',
    actor,
    object: { user_id: id, name: personal(user.name), email: personal(user.email) },
    details: { permissions: loggedPermissions(permissions) },
    at,
  });
  return id;
}

export const loggedPermissions = (set: PermissionSet) => ({
  owner: set.owner,
  applications: set.applications.map(({ foreignId, ...buckets }) => ({ foreign_id: foreignId, ...buckets })),
});

async function insertUser(
  transaction: Transaction,
  user: { readonly email: string; readonly name: string; readonly passwordHash: string },
  at: Date,
): Promise<Id<'usr'>> {
  const [left] = await transaction.rows(sql<{ id: Id<'usr'> }>`
    update users set email = ${user.email}, name = ${user.name}, password_hash = ${user.passwordHash},
      sealed_totp_secret = null, last_totp_step = null, oidc_subject = null
    where lower(email) = lower(${user.email}) and id not in (select user_id from memberships)
    returning id`);
  if (left) return left.id;
  const id = newId('usr');
  try {
    await transaction.em.insert(User, {
      id,
      email: user.email,
      name: user.name,
      passwordHash: user.passwordHash,
      sealedTotpSecret: null,
      lastTotpStep: null,
      oidcSubject: null,
      createdAt: at,
    });
  } catch (thrown) {
    throw violatedConstraint(thrown) === 'users_email' ? emailTaken(thrown) : thrown;
  }
  return id;
}

const emailTaken = (cause: unknown) => conflict('email belongs to a user already.', { cause });
