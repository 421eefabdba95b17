import {
  type Actor,
  OPERATOR,
  type Operator,
  parsePermissionSet,
  type PermissionSet,
  type PermissionSetInput,
  lockOrganization,
} from '../../access/index.js';
import type { Foundation, Transaction } from '../../../platform/database/index.js';
import { parseMembers } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { parseName } from '../../../platform/kernel/text.js';
import { createAccount } from '../accounts/account.js';
import { hashPassword, parsePassword } from '../accounts/password.js';
import { createUser } from './create-user.js';
import { findMember, type Member } from './member.js';
import { parseEmail } from '../accounts/parse-email.js';

/** A person with the password that the operator chose for them. */
export interface NewMemberInput {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** Parses a new member. Invalid members are reported under `prefix`, such as `owner.`. */
export function parseNewMember(input: NewMemberInput, prefix = ''): NewMemberInput {
  return parseMembers({
    email: () => parseEmail(`${prefix}email`, input.email),
    name: () => parseName(`${prefix}name`, input.name, 128),
    password: () => parsePassword(`${prefix}password`, input.password),
  });
}

/**
 * Adds a member with a given password. Only the operator does this, for an organization whose owners cannot invite yet.
 * Members whom owners invite choose their own passwords.
 */
export async function addMember(
  foundation: Foundation,
  { organizationId }: Operator,
  input: NewMemberInput & { readonly permissions?: PermissionSetInput | null | undefined },
): Promise<Member> {
  const member = parseNewMember(input);
  const permissions = parsePermissionSet(input.permissions ?? {}, 'permissions.');
  const passwordHash = await hashPassword(foundation, member.email, member.password);
  return foundation.database.transaction(async (transaction) => {
    await lockOrganization(transaction, organizationId);
    const at = foundation.clock.now();
    const id = await insertMember(
      transaction,
      organizationId,
      { ...member, passwordHash },
      permissions,
      OPERATOR,
      at,
    );
    return findMember(transaction, organizationId, id);
  });
}

/** Writes a member with a new account, for the operator. */
export async function insertMember(
  transaction: Transaction,
  organizationId: Id<'org'>,
  {
    email,
    name,
    passwordHash,
  }: { readonly email: string; readonly name: string; readonly passwordHash: string },
  permissions: PermissionSet,
  actor: Actor,
  at: Date,
): Promise<Id<'usr'>> {
  // The operator vouches for the address.
  const accountId = await createAccount(transaction, { email, passwordHash, isAddressProven: true }, at);
  return createUser(
    transaction,
    { organizationId, accountId, email, name },
    permissions,
    { actor, grantedBy: actor.id },
    at,
  );
}
