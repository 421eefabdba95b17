import { type Foundation, query } from '../../../platform/database/index.js';
import { type Principal, requireOwnerPermission } from '../../access/index.js';
import type { PoolDescriptor } from './pool-descriptor.js';

/** The pools that this gateway relays for and that applications of the organization serve, by selector. */
export async function listPools(
  {
    foundation,
    pools,
  }: { readonly foundation: Foundation; readonly pools: ReadonlyMap<string, PoolDescriptor> },
  principal: Principal | undefined,
): Promise<{ readonly selector: string; readonly name: string }[]> {
  const { organizationId } = requireOwnerPermission(principal, 'relays:read');
  const applications = await foundation.database.rows(
    query
      .selectFrom('applications')
      .select('check_application_id as checkId')
      .where('organization_id', '=', organizationId),
  );
  const own = new Set(applications.map(({ checkId }) => checkId));
  return [...pools.values()]
    .filter(
      ({ screening }) =>
        screening.applications === '*' || screening.applications.some((checkId) => own.has(checkId)),
    )
    .map(({ poolSelector, name }) => ({ selector: poolSelector, name }))
    .sort((a, b) => (a.selector < b.selector ? -1 : 1));
}
