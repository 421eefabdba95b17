import { personal, type LogObject } from '../activity-log/index.js';
import { query, type Reader } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Person } from '../access/index.js';

/** People in a log entry. Former members are named by id only, because their names may have been erased. */
export async function loggedPeople(
  reader: Reader,
  organizationId: Id<'org'>,
  people: readonly Pick<Person, 'id' | 'name'>[],
): Promise<LogObject[]> {
  if (people.length === 0) return [];
  const ids = people.map(({ id }) => id);
  const members = await reader.rows(
    query
      .selectFrom('users')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('id', 'in', ids)
      .where('ended_at', 'is', null),
  );
  return people.map(({ id, name }) => ({
    user_id: id,
    ...(members.some((member) => member.id === id) ? { name: personal(name) } : {}),
  }));
}
