import { EVERY_OWNER_PERMISSION, OPERATOR } from '../access/index.js';
import { recordActivity } from '../activity-log/index.js';
import { type Foundation, query, valuesOf } from '../../platform/database/index.js';
import { parseMembers } from '../../platform/kernel/errors.js';
import { type Id, newId } from '../../platform/kernel/ids.js';
import { insertMember, type NewMemberInput, parseNewMember } from './members/add-member.js';
import { OrganizationEntity } from './organization.entity.js';
import { parseName } from '../../platform/kernel/text.js';
import { hashPassword } from './accounts/password.js';

export interface CreatedOrganization {
  readonly id: Id<'org'>;
  readonly name: string;
  readonly createdAt: Date;
  readonly owner: { readonly id: Id<'usr'>; readonly name: string; readonly email: string };
}

/** A new organization and its owner, who holds every owner permission. Only the operator creates one. */
export async function createOrganization(
  foundation: Foundation,
  input: { readonly name: string; readonly owner: NewMemberInput },
): Promise<CreatedOrganization> {
  const { name, owner } = parseMembers({
    name: () => parseName('name', input.name, 128),
    owner: () => parseNewMember(input.owner, 'owner.'),
  });
  const passwordHash = await hashPassword(foundation, owner.email, owner.password);
  const createdAt = foundation.clock.now();
  const id = newId('org');
  return foundation.database.transaction(async (transaction) => {
    await transaction.rows(
      query.insertInto('organizations').values(
        valuesOf(OrganizationEntity, {
          ...{ id, name, requireSecondPerson: false, requireSecondFactor: false, createdAt },
        }),
      ),
    );
    await recordActivity(transaction, {
      organizationId: id,
      eventType: 'organization.created',
      actor: OPERATOR,
      object: { organization_id: id, name },
      at: createdAt,
    });
    const ownerId = await insertMember(
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
