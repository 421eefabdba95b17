import { batchedByIds, type Foundation, query } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Person } from './person.js';

/** The member or former member with this id. Null if the organization never had a member with this id. */
export type PersonOf = (organizationId: Id<'org'>, id: string | null) => Promise<Person | null>;

/** One statement reads all people that are requested together. */
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
