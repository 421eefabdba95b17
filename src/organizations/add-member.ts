import type { Foundation } from '../database/index.js';
import { createUser, parseNewUser, type NewUserInput } from './create-user.js';
import { locateMember, serializeMemberChanges, type Member } from './member.js';
import { requireOperatorOr, type Caller } from './operator.js';
import { hashPassword } from './password.js';
import { parsePermissionSet, type PermissionSetInput } from './permission-set.js';

/** A new user of the organization with what it holds from the start. A taken e-mail address is `CONFLICT`. */
export async function addMember(
  foundation: Foundation,
  caller: Caller,
  input: NewUserInput & { readonly permissions?: PermissionSetInput | null | undefined },
): Promise<Member> {
  const { organizationId, actor } = requireOperatorOr(caller, 'members:manage');
  const { email, name, password } = parseNewUser(input);
  const permissions = parsePermissionSet(input.permissions ?? {});
  const passwordHash = await hashPassword(password);
  const now = foundation.clock.now();
  return foundation.database.transaction(async (transaction) => {
    await serializeMemberChanges(transaction, organizationId);
    const user = { email, name, passwordHash };
    const id = await createUser(transaction, organizationId, user, permissions, actor, now);
    return locateMember(transaction, organizationId, id);
  });
}
