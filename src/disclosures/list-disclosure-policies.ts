import { all, sql, type Foundation } from '../database/index.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { requireOwnerPermission, type Principal } from '../organizations/index.js';
import { POLICY_COLUMNS, type DisclosurePolicy } from './disclosure-policy.js';

const cursors = cursorsFor('disclosurePolicies', {});

/** The organization's policies, newest first. */
export async function listDisclosurePolicies(
  foundation: Foundation,
  principal: Principal | undefined,
  page: { readonly first?: number | null | undefined; readonly after?: string | null | undefined },
): Promise<Connection<DisclosurePolicy>> {
  const { organizationId } = requireOwnerPermission(principal, 'policies:manage');
  const limit = parseLimit('first', page.first);
  const before = page.after == null ? undefined : cursors.decode('string', 'after', page.after);
  const rows = await foundation.database.rows(sql<DisclosurePolicy>`
    select ${POLICY_COLUMNS} from disclosure_policies
    where ${all([
      sql`organization_id = ${organizationId}`,
      before === undefined ? undefined : sql`id < ${before}`,
    ])}
    order by id desc limit ${limit + 1}`);
  return connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id));
}
