import { query, type Reader } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { holdsApplicationPermission, type UserPrincipal } from '../../access/index.js';

/** The number of requests that wait for a decision that the user may make, for each application where there can be some. */
export async function countPendingRequests(
  reader: Reader,
  user: UserPrincipal,
): Promise<ReadonlyMap<Id<'app'>, number>> {
  const applicationIds = ([...user.applications.keys()] as Id<'app'>[]).filter((id) =>
    holdsApplicationPermission(user, id, 'administrator', 'cases:approve_creation'),
  );
  if (applicationIds.length === 0) return new Map();
  const rows = await reader.rows(
    query
      .selectFrom('case_requests')
      .select(['application_id as applicationId', ({ fn }) => fn.countAll<number>().as('count')])
      .where('organization_id', '=', user.organizationId)
      .where('application_id', 'in', applicationIds)
      .where('status', '=', 'pending')
      .groupBy('application_id'),
  );
  const counts = new Map(rows.map(({ applicationId, count }) => [applicationId, count]));
  return new Map(applicationIds.map((id) => [id, counts.get(id) ?? 0]));
}
