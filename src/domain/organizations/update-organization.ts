import { actingAs, type Principal, requireProposer } from '../access/index.js';
import { recordActivity } from '../activity-log/index.js';
import { type Foundation, query, type Reader } from '../../platform/database/index.js';
import { conflict, notFound } from '../../platform/kernel/errors.js';
import type { Id } from '../../platform/kernel/ids.js';
import { withSecondPerson } from './second-person/with-second-person.js';
import { findOrganization, type OrganizationInfo } from './find-organization.js';

export interface OrganizationChanges {
  /** Whether decisions need two persons. Two persons must change it, on and off. */
  readonly requireSecondPerson?: boolean | null | undefined;
  /** Whether members need a second factor. If two persons are required, two must turn it off. */
  readonly requireSecondFactor?: boolean | null | undefined;
}

/** The settings of an organization for its members. */
export interface OrganizationRules {
  readonly requireSecondPerson: boolean;
  readonly requireSecondFactor: boolean;
}

export async function organizationRules(reader: Reader, id: Id<'org'>): Promise<OrganizationRules> {
  const [rules] = await reader.rows(
    query
      .selectFrom('organizations')
      .select([
        'require_second_person as requireSecondPerson',
        'require_second_factor as requireSecondFactor',
      ])
      .where('id', '=', id),
  );
  if (!rules) throw notFound('organization');
  return rules;
}

/** Changes the caller's organization. Absent members do not change; an unchanged value is not logged. */
export async function updateOrganization(
  foundation: Foundation,
  principal: Principal | undefined,
  changes: OrganizationChanges,
): Promise<OrganizationInfo> {
  const user = requireProposer(foundation, principal, 'updateOrganization');
  const { organizationId } = user;
  const organization = await findOrganization(foundation.database, organizationId);
  const before = await organizationRules(foundation.database, organizationId);
  const after = {
    requireSecondPerson: changes.requireSecondPerson ?? before.requireSecondPerson,
    requireSecondFactor: changes.requireSecondFactor ?? before.requireSecondFactor,
  };
  const isPersonChanged = after.requireSecondPerson !== before.requireSecondPerson;
  const isFactorChanged = after.requireSecondFactor !== before.requireSecondFactor;
  if (!isPersonChanged && !isFactorChanged) return organization;
  if (isFactorChanged && after.requireSecondFactor && user.factorAt === null) {
    throw conflict(
      'Add a second factor to your own account, and prove it, before you require one of all members.',
    );
  }
  const details = {
    ...(isPersonChanged ? { require_second_person: after.requireSecondPerson } : {}),
    ...(isFactorChanged ? { require_second_factor: after.requireSecondFactor } : {}),
  };
  const acting = actingAs(user);
  const proposal = {
    operation: 'updateOrganization',
    onePerson: !isPersonChanged && after.requireSecondFactor,
    input: details,
    always: isPersonChanged,
  } as const;
  return withSecondPerson(foundation, acting, proposal, async (transaction) => {
    const changed = await transaction.rows(
      query
        .updateTable('organizations')
        .set({
          require_second_person: after.requireSecondPerson,
          require_second_factor: after.requireSecondFactor,
        })
        .where('id', '=', organizationId)
        .where('require_second_person', '=', before.requireSecondPerson)
        .where('require_second_factor', '=', before.requireSecondFactor)
        .returning('id'),
    );
    if (changed.length === 0) throw conflict('The organization was changed in the meantime. Try again.');
    await recordActivity(transaction, {
      organizationId,
      eventType: 'organization.updated',
      actor: acting.actor,
      object: { organization_id: organizationId },
      details,
      at: foundation.clock.now(),
    });
    return organization;
  });
}
