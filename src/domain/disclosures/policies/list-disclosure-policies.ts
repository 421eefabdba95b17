import { type Foundation, query } from '../../../platform/database/index.js';
import { invalidMember } from '../../../platform/kernel/errors.js';
import { isId } from '../../../platform/kernel/ids.js';
import { cursorsFor, pageOf, type PageInput, parsePage } from '../../../platform/kernel/paging/paging.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import { type Principal, requireOwnerPermission } from '../../access/index.js';
import { type DisclosurePolicy, POLICY_COLUMNS } from './disclosure-policy.js';

/** The organization's policies, newest first. */
export async function listDisclosurePolicies(
  foundation: Foundation,
  principal: Principal | undefined,
  page: PageInput,
): Promise<Connection<DisclosurePolicy>> {
  const { organizationId } = requireOwnerPermission(principal, 'policies:manage');
  const {
    cursors,
    limit,
    after: before,
  } = parsePage(page, 'string', () => cursorsFor('disclosurePolicies', organizationId));
  if (before !== undefined && !isId('dpl', before))
    throw invalidMember('after', 'is not a cursor of this listing');
  const rows = await foundation.database.rows(
    query
      .selectFrom('disclosure_policies')
      .select(POLICY_COLUMNS)
      .where('organization_id', '=', organizationId)
      .$if(before !== undefined, (policies) => policies.where('id', '<', before!))
      .orderBy('id', 'desc')
      .limit(limit + 1),
  );
  return connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id));
}
