import { batchedByIds, type Foundation, query } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Person } from './person.js';

/** The person of an id, member or former member; null for an id that is none of the organization's people. */
export type PersonOf = (organizationId: Id<'org'>, id: string | null) => Promise<Person | null>;

/** People who are asked for together are read by one statement. */
export function createPersonOf({ database }: Pick<Foundation, 'database'>): PersonOf {
  const people = batchedByIds((isWanted) =>
    database.rows(
      query
        .selectFrom('users')
        .select(['organization_id as organizationId', 'id', 'name', 'email'])
        .where(isWanted),
    ),
  );
  return async (organizationId, id) => {
    if (id === null) return null;
    const [person] = await people({ organizationId, ids: [id] });
    return person ?? null;
  };
}
