import { recordActivity } from '../activity-log/index.js';
import { sql, type Foundation } from '../database/index.js';
import { locateOrganization, type OrganizationInfo } from './find-organization.js';
import { actorOf, requireOwnerPermission, type Principal } from './principal.js';

export interface OrganizationChanges {
  /** Whether a case must be approved by another person than the one who requested it. */
  readonly requireSecondPerson?: boolean | null | undefined;
}

/** Changes the caller's organization; what is absent stays. What is so already changes nothing, and is no entry of the log. */
export async function updateOrganization(
  foundation: Foundation,
  principal: Principal | undefined,
  { requireSecondPerson }: OrganizationChanges,
): Promise<OrganizationInfo> {
  const user = requireOwnerPermission(principal, 'policies:manage');
  const { organizationId } = user;
  return foundation.database.transaction(async (transaction) => {
    const [change] = await transaction.rows(sql<{ requireSecondPerson: boolean }>`
      update organizations set require_second_person = ${requireSecondPerson ?? null}
      where id = ${organizationId} and require_second_person <> ${requireSecondPerson ?? null}::boolean
      returning require_second_person as "requireSecondPerson"`);
    if (change) {
      await recordActivity(transaction, {
        organizationId,
        eventType: 'organization.updated',
        actor: actorOf(user),
        object: { organization_id: organizationId },
        details: { require_second_person: change.requireSecondPerson },
        at: foundation.clock.now(),
      });
    }
    return locateOrganization(transaction, organizationId);
  });
}
