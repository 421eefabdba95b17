import { type Foundation, sql } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import type { Principal } from '../../access/index.js';
import { requireLog } from './log-access.js';
import { actorName, type ActivityRow } from './select-activity.js';

export interface LogActor {
  readonly id: string;
  /** The name in the newest entry. Null if it was erased. */
  readonly name: string | null;
}

export interface ListLogActorsInput extends PageInput {
  /** The application of the log. Absent for the organization's log. */
  readonly foreignId?: string | null | undefined;
}

/** The actors in a log that the caller may read, sorted by id. */
export async function listLogActors(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  input: ListLogActorsInput,
): Promise<Connection<LogActor>> {
  const { organizationId, applicationId } = requireLog(principal, input.foreignId).scope;
  const {
    cursors,
    limit,
    after = '',
  } = parsePage(input, 'string', () => cursorsFor('logActors', applicationId ?? organizationId));
  const inScope = applicationId
    ? sql`organization_id = ${organizationId} and application_id = ${applicationId}`
    : sql`organization_id = ${organizationId}`;
  // Raw: jumps from one actor to the next in the index, for any number of entries.
  const rows = await database.rows(sql<Pick<ActivityRow, 'actorId' | 'entry' | 'salts'>>`
    with recursive actors (id) as (
      select min(actor_id) from activity_entries where ${inScope} and actor_id > ${after}
      union all
      select (select min(actor_id) from activity_entries where ${inScope} and actor_id > actors.id)
      from actors where actors.id is not null
    )
    select actors.id as "actorId", newest.entry, newest.salts
    from actors cross join lateral (
      select entry, salts from activity_entries
      where ${inScope} and actor_id = actors.id order by created_at desc, id desc limit 1
    ) as newest
    limit ${limit + 1}`);
  const actors = rows.map((row) => ({ id: row.actorId, name: actorName(row) }));
  return connectionOf(pageOf(actors, limit), ({ id }) => cursors.encode(id));
}
