import { type Foundation, query } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import type { Principal } from '../../access/index.js';
import { requireCasePlanner } from '../case-access.js';
import { isAuditorOf } from '../people.js';

/** A person who may be proposed as an auditor of a case. */
export interface AuditorCandidate {
  readonly id: Id<'usr'>;
  readonly name: string;
}

/** The users who hold an auditor permission of the application now, sorted by id. */
export async function listAuditorCandidates(
  { database }: Foundation,
  principal: Principal | undefined,
  input: PageInput & { readonly foreignId: string },
): Promise<Connection<AuditorCandidate>> {
  const { user, applicationId } = requireCasePlanner(principal, input.foreignId);
  const {
    cursors,
    limit,
    after = '',
  } = parsePage(input, 'string', () => cursorsFor('auditorCandidates', applicationId));
  const rows = await database.rows(
    query
      .selectFrom('users')
      .select(['id', 'name'])
      .where('id', '>', after as Id<'usr'>)
      .where(isAuditorOf(user.organizationId, applicationId))
      .orderBy('id')
      .limit(limit + 1),
  );
  return connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id));
}
