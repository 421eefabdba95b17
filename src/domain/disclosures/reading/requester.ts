import { batchedByIds, type Foundation, type Owned, query } from '../../../platform/database/index.js';
import { isId } from '../../../platform/kernel/ids.js';
import { createPersonOf } from '../../access/index.js';

/** The requester of a disclosure: a person, or a backend with its API key. */
export interface Requester {
  readonly id: string;
  readonly name: string;
  /** Null for an API key. */
  readonly email: string | null;
}

export type RequesterOf = (asked: Owned) => Promise<Requester | null>;

/** One statement of each kind reads all requesters that are requested together. */
export function createRequesterOf(foundation: Pick<Foundation, 'database'>): RequesterOf {
  const personOf = createPersonOf(foundation);
  const keys = batchedByIds((isWanted) =>
    foundation.database.rows(
      query
        .selectFrom('api_keys')
        .select(['organization_id as organizationId', 'id', 'name'])
        .where(isWanted),
    ),
  );
  return async ({ organizationId, id }) => {
    if (!isId('key', id)) return personOf(organizationId, id);
    const [key] = await keys({ organizationId, ids: [id] });
    return key ? { id: key.id, name: key.name, email: null } : null;
  };
}
