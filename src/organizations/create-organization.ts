import { OPERATOR, recordActivity } from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { newId, type Id } from '../kernel/ids.js';
import { createUser, parseNewUser, type NewUserInput } from './create-user.js';
import { Organization } from './organization.entity.js';
import { parseText } from '../kernel/text.js';
import { hashPassword } from './password.js';
import { EVERY_OWNER_PERMISSION } from './permission-set.js';

export interface CreatedOrganization {
  readonly id: Id<'org'>;
  readonly name: string;
  readonly createdAt: Date;
  readonly owner: { readonly id: Id<'usr'>; readonly name: string; readonly email: string };
}

/** A new organization and its owner, who holds every owner permission. Only the operator makes one. */
export async function createOrganization(
  foundation: Foundation,
  input: { readonly name: string; readonly owner: NewUserInput },
): Promise<CreatedOrganization> {
  const name = parseText('name', input.name, 128);
  const owner = parseNewUser(input.owner, 'owner.');
  const passwordHash = await hashPassword(owner.password);
  const createdAt = foundation.clock.now();
  const id = newId('org');
  return foundation.database.transaction(async (transaction) => {
    await transaction.em.insert(Organization, { id, name, requireSecondPerson: false, createdAt });
    await recordActivity(transaction, {
      organizationId: id,
      eventType: 'organization.created',
      actor: OPERATOR,
      object: { organization_id: id, name },
      at: createdAt,
    });
    const ownerId = await createUser(
      transaction,
      id,
      { email: owner.email, name: owner.name, passwordHash },
      EVERY_OWNER_PERMISSION,
      OPERATOR,
      createdAt,
    );
    return { id, name, createdAt, owner: { id: ownerId, name: owner.name, email: owner.email } };
  });
}
