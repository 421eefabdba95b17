import {
  type FollowOptions,
  followPositions,
  type Foundation,
  query,
} from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { type Principal, requireOwnerPermission } from '../../access/index.js';
import { relaysTopic } from '../relay.js';
import { type OrganizationRelay, selectRelaysById } from './list-relays.js';

/** Follows the most recently accepted relays: as many as a page of the list shows. */
const FOLLOWED = 100;
/** While relays change continuously, a subscriber reads once in this time. */
const PAUSE_MS = 500;

/** The sequence number of each relay's newest change, by relay id. */
type Looked = ReadonlyMap<Id<'rly'>, number>;

/**
 * Follows the most recently accepted relays of the caller's organization. Sends each relay that changes from now on, in its
 * current state, so that changes in quick succession are combined.
 */
export async function followRelays(
  { database, signals }: Pick<Foundation, 'database' | 'signals'>,
  principal: Principal | undefined,
  options: FollowOptions = {},
): Promise<AsyncGenerator<OrganizationRelay, void, undefined>> {
  const { organizationId } = requireOwnerPermission(principal, 'relays:read');
  const look = async (): Promise<Looked> => {
    const rows = await database.rows(
      query
        .selectFrom('relay_organizations as owned')
        .innerJoin('relay_requests as relays', 'relays.id', 'owned.request_id')
        .select(['relays.id', 'relays.sequence'])
        .where('owned.organization_id', '=', organizationId)
        .orderBy('owned.accepted_at', 'desc')
        .orderBy('owned.request_id', 'desc')
        .limit(FOLLOWED),
    );
    return new Map(rows.map(({ id, sequence }) => [id, sequence]));
  };
  return followPositions<OrganizationRelay, Looked>(
    signals,
    {
      topics: [relaysTopic(organizationId)],
      after: await look(),
      batch: Number.POSITIVE_INFINITY,
      async read(before) {
        const now = await look();
        const changed = [...now.keys()].filter((id) => before.get(id) !== now.get(id));
        if (changed.length === 0) return [];
        const relays = await selectRelaysById(database, organizationId, changed);
        // A change since the read is sent once, in its current state.
        const position = new Map([...now, ...relays.map(({ id, sequence }) => [id, sequence] as const)]);
        return relays
          .toSorted((a, b) => a.updatedAt.getTime() - b.updatedAt.getTime())
          .map((event) => ({ position, event }));
      },
    },
    { pauseMs: PAUSE_MS, ...options },
  );
}
