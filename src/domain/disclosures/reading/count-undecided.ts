import { query, type Reader } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { holdsApplicationPermission, type UserPrincipal } from '../../access/index.js';

/**
 * The number of disclosures that wait for a decision that the user may make, by the application of their assets. An
 * administrator gets a number for each application. An owner gets one for each application with such disclosures, and for
 * null, which stands for assets of no application.
 */
export async function countUndecidedDisclosures(
  reader: Reader,
  user: UserPrincipal,
): Promise<ReadonlyMap<Id<'app'> | null, number>> {
  const { organizationId, grants } = user;
  const ofOwner = grants.owner.has('disclosures:decide');
  const applicationIds = ([...user.applications.keys()] as Id<'app'>[]).filter(
    (id) => ofOwner || holdsApplicationPermission(user, id, 'administrator', 'disclosures:decide'),
  );
  if (!ofOwner && applicationIds.length === 0) return new Map();
  const rows = await reader.rows(
    query
      .selectFrom('disclosures')
      .innerJoin('assets', 'assets.id', 'disclosures.asset_id')
      .select(['assets.application_id as applicationId', ({ fn }) => fn.countAll<number>().as('count')])
      .where('disclosures.organization_id', '=', organizationId)
      .where('disclosures.status', '=', 'pending')
      .where('disclosures.decision', 'is', null)
      .$if(!ofOwner, (waiting) => waiting.where('assets.application_id', 'in', applicationIds))
      .groupBy('assets.application_id'),
  );
  const counts = new Map(applicationIds.map((id): [Id<'app'> | null, number] => [id, 0]));
  for (const { applicationId, count } of rows) counts.set(applicationId, count);
  return counts;
}
