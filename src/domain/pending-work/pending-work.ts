import { type Application, type ApplicationOf, type Principal, requireUser } from '../access/index.js';
import { casesTopic, countPendingRequests } from '../cases/index.js';
import { countUndecidedDisclosures, disclosuresTopic } from '../disclosures/index.js';
import { type FollowOptions, followPositions, type Foundation } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';

/** The work of one application that waits for the caller's decision. */
export interface PendingWork {
  /** Null for assets of no application. */
  readonly application: Application | null;
  /** Null if the caller does not decide them. */
  readonly caseRequests: number | null;
  readonly disclosures: number | null;
}

/** The caller's pending work for each application where the caller may decide, sorted by foreignId. */
export async function findPendingWork(
  { database }: Pick<Foundation, 'database'>,
  applicationOf: ApplicationOf,
  principal: Principal | undefined,
): Promise<readonly PendingWork[]> {
  const user = requireUser(principal);
  const [requests, disclosures] = await Promise.all([
    countPendingRequests(database, user),
    countUndecidedDisclosures(database, user),
  ]);
  const ids = [...new Set<Id<'app'> | null>([...requests.keys(), ...disclosures.keys()])];
  const work = await Promise.all(
    ids.map(async (id) => ({
      application: await applicationOf(user.organizationId, id),
      caseRequests: (id === null ? undefined : requests.get(id)) ?? null,
      disclosures: disclosures.get(id) ?? null,
    })),
  );
  const name = ({ application }: PendingWork) => application?.foreignId ?? '';
  return work.sort((one, other) => (name(one) < name(other) ? -1 : 1));
}

/** The pending work now, and after each change. */
export function followPendingWork(
  foundation: Foundation,
  applicationOf: ApplicationOf,
  principal: Principal | undefined,
  options: FollowOptions = {},
): AsyncGenerator<readonly PendingWork[], void, undefined> {
  const user = requireUser(principal);
  return followPositions<readonly PendingWork[], string>(
    foundation.signals,
    {
      topics: [
        disclosuresTopic(user.organizationId),
        ...([...user.applications.keys()] as Id<'app'>[]).map(casesTopic),
      ],
      after: '',
      batch: 1,
      async read(shown) {
        const work = await findPendingWork(foundation, applicationOf, user);
        const position = JSON.stringify(work);
        return position === shown ? [] : [{ position, event: work }];
      },
    },
    options,
  );
}
