import { personal, type LogObject } from '../activity-log/index.js';
import { sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { CasePerson } from './case.js';

/** People as an entry of the log names them: former members by their id alone, for their names may be erased from it. */
export async function loggedPeople(
  reader: Reader,
  organizationId: Id<'org'>,
  people: readonly Pick<CasePerson, 'id' | 'name'>[],
): Promise<LogObject[]> {
  const members = await reader.rows(sql<{ id: Id<'usr'> }>`
    select user_id as id from memberships
    where organization_id = ${organizationId} and user_id = any(${people.map(({ id }) => id)}::text[])`);
  return people.map(({ id, name }) => ({
    user_id: id,
    ...(members.some((member) => member.id === id) ? { name: personal(name) } : {}),
  }));
}
