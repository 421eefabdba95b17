import { type FollowOptions, followPositions, type Foundation } from '../../../platform/database/index.js';
import { type Principal, requireOwnerPermission } from '../../access/index.js';
import { type OrganizationRelay, selectRelays } from './list-relays.js';

/** Those that were accepted last: what a page of the list shows. */
const FOLLOWED = 100;
const LOOK_MS = 2_000;

/** The newest change of each relay, by its id. */
type Looked = ReadonlyMap<string, number>;

/**
 * The relays of the caller's organization that change from now on, among those that were accepted last. Each comes as it
 * is at a look: changes that follow each other quickly come as one.
 */
export async function followRelays(
  { database, signals }: Pick<Foundation, 'database' | 'signals'>,
  principal: Principal | undefined,
  options: FollowOptions = {},
): Promise<AsyncGenerator<OrganizationRelay, void, undefined>> {
  const { organizationId } = requireOwnerPermission(principal, 'relays:read');
  const look = () => selectRelays(database, { organizationId, limit: FOLLOWED });
  return followPositions<OrganizationRelay, Looked>(
    signals,
    {
      topics: [],
      after: lookedAt(await look()),
      batch: Number.POSITIVE_INFINITY,
      async read(before) {
        const relays = await look();
        const position = lookedAt(relays);
        return relays
          .filter(({ id, sequence }) => before.get(id) !== sequence)
          .map((event) => ({ position, event }));
      },
    },
    { pollMs: LOOK_MS, ...options },
  );
}

const lookedAt = (relays: readonly OrganizationRelay[]): Looked =>
  new Map(relays.map(({ id, sequence }) => [id, sequence]));
