import { sql, type Foundation } from '../database/index.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import type { Id } from '../kernel/ids.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import { requireApplicationPermission, type Principal } from '../organizations/index.js';

/** Someone who may be proposed as an auditor of a case. */
export interface AuditorCandidate {
  readonly id: Id<'usr'>;
  readonly name: string;
}

/** Who holds an auditor permission of the application now, in the order of their ids. */
export async function listAuditorCandidates(
  { database }: Foundation,
  principal: Principal | undefined,
  input: {
    readonly application: string;
    readonly first?: number | null | undefined;
    readonly after?: string | null | undefined;
  },
): Promise<Connection<AuditorCandidate>> {
  const { user, applicationId } = requireApplicationPermission(
    principal,
    input.application,
    'auditor',
    'cases:create',
  );
  const limit = parseLimit('first', input.first);
  const cursors = cursorsFor('auditorCandidates', applicationId);
  const after = input.after == null ? '' : cursors.decode('string', 'after', input.after);
  const rows = await database.rows(sql<AuditorCandidate>`
    select id, name from users where id > ${after} and exists (
      select 1 from permission_grants
      where organization_id = ${user.organizationId} and user_id = users.id and application_id = ${applicationId}
        and bucket = 'auditor')
    order by id limit ${limit + 1}`);
  return connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id));
}
