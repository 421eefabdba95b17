import {
  type Application,
  type Principal,
  requirePrincipal,
  requireScope,
  selectApplications,
} from '../../access/index.js';
import { type Foundation, sql } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';

/** All applications for owners of the organization and its API keys. For others, those in which they hold a permission. */
export async function listApplications(
  foundation: Foundation,
  principal: Principal | undefined,
  input: PageInput = {},
): Promise<Connection<Application>> {
  const { organizationId } = requirePrincipal(principal);
  const visible = visibleTo(requirePrincipal(principal));
  const {
    cursors,
    limit,
    after = '',
  } = parsePage(input, 'string', () => cursorsFor('applications', organizationId));
  const rows = await foundation.database.rows(
    selectApplications(organizationId)
      .where('foreign_id', '>', after)
      .$if(visible !== 'all', (applications) =>
        applications.where('id', '=', sql<Id<'app'>>`any(${visible}::text[])`),
      )
      .orderBy('foreign_id')
      .limit(limit + 1),
  );
  return connectionOf(pageOf(rows, limit), (application) => cursors.encode(application.foreignId));
}

/** Whether the caller may know the public id by which the application's addresses are checked. */
export function maySeeCheckId(principal: Principal | undefined, applicationId: string): boolean {
  if (principal?.kind !== 'user') return false;
  const administrator = principal.grants.applications.get(applicationId)?.administrator;
  return principal.grants.owner.has('applications:read') || (administrator?.size ?? 0) > 0;
}

function visibleTo(principal: Principal): 'all' | Id<'app'>[] {
  if (principal.kind === 'api_key') {
    requireScope(principal, 'assets:read');
    return 'all';
  }
  if (principal.grants.owner.has('applications:read')) return 'all';
  return [...principal.applications.keys()] as Id<'app'>[];
}
