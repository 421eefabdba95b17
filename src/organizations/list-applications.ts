import { sql, type Foundation } from '../database/index.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import { APPLICATION_COLUMNS, type Application } from './application.js';
import type { ListingInput } from './list-members.js';
import { requirePrincipal, requireScope, type Principal } from './principal.js';

/** All applications of the organization for its owner and its API keys; for other members those they hold anything in. */
export async function listApplications(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListingInput = {},
): Promise<Connection<Application>> {
  const { organizationId } = requirePrincipal(principal);
  const visible = visibleTo(requirePrincipal(principal));
  const cursors = cursorsFor('applications', organizationId);
  const limit = parseLimit('first', input.first);
  const after = input.after ? cursors.decode('string', 'after', input.after) : '';
  const rows = await foundation.database.rows(sql<Application>`
    select ${APPLICATION_COLUMNS} from applications
    where organization_id = ${organizationId} and ${visible} and foreign_id > ${after}
    order by foreign_id limit ${limit + 1}`);
  return connectionOf(pageOf(rows, limit), (application) => cursors.encode(application.foreignId));
}

/** Whether the caller may know under which public id the application's addresses are checked. */
export function maySeeCheckId(principal: Principal | undefined, applicationId: string): boolean {
  if (principal?.kind !== 'user') return false;
  const administrator = principal.grants.applications.get(applicationId)?.administrator;
  return principal.grants.owner.has('applications:read') || (administrator?.size ?? 0) > 0;
}

function visibleTo(principal: Principal) {
  if (principal.kind === 'api_key') {
    requireScope(principal, 'assets:read');
    return sql`true`;
  }
  if (principal.grants.owner.has('applications:read')) return sql`true`;
  return sql`id = any(${[...principal.applications.keys()]}::text[])`;
}
