import { signingLaneOf } from '../../activity-log/index.js';
import { type Foundation, query, sql } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { createPollLoop, isFree, Lanes, type PollLoop } from '../../../platform/jobs/index.js';
import { type Fulfilment, isDue, logFailure } from './fulfilment.js';

export interface DisclosureWorkerOptions {
  readonly foundation: Foundation;
  readonly fulfilment: Fulfilment;
  readonly pollMs?: number;
}

/** Results that are generated for one organization before the loop pauses. */
const MAX_ROUNDS = 10;

/**
 * Generates results of authorized disclosures that no instance is generating, because its process ended or the queue was
 * full. One result is generated at a time, of each organization in turn. In addition, one is generated for each key in a
 * store, because a store may not answer when it must sign the receipt.
 */
export function createDisclosureWorker({
  foundation,
  fulfilment,
  pollMs = 2_000,
}: DisclosureWorkerOptions): PollLoop {
  const lanes = new Lanes(() => 1);
  const failed = (thrown: unknown) =>
    foundation.log.warn({ err: thrown }, 'Reading unfinished disclosures failed.');
  /** Whether there may be more. */
  const fulfillOldest = async (organizationId: Id<'org'>): Promise<boolean> => {
    const [oldest] = await foundation.database.rows(
      unfinished.select('id').where('organization_id', '=', organizationId).orderBy('id').limit(1),
    );
    if (!oldest) return false;
    const { id } = oldest;
    await fulfilment.fulfill(id).catch((thrown: unknown) => logFailure(foundation, id, thrown));
    return true;
  };
  return createPollLoop({
    pollMs,
    async turn(mayContinue) {
      for (const { organizationId, lane } of await unfinishedOrganizations(foundation)) {
        let rounds = 0;
        lanes.begin(lane, organizationId, async () => {
          if (!mayContinue() || rounds === MAX_ROUNDS) return false;
          rounds += 1;
          try {
            return await fulfillOldest(organizationId);
          } catch (thrown) {
            failed(thrown);
            return false;
          }
        });
      }
    },
    failed,
    ended: () => lanes.ended(),
  });
}

const unfinished = query
  .selectFrom('disclosures')
  .where('status', '=', 'pending')
  .where('decision', '=', 'authorize')
  .where(isFree)
  .where(isDue);

function unfinishedOrganizations(
  foundation: Foundation,
): Promise<{ organizationId: Id<'org'>; lane: string }[]> {
  const organizations = unfinished.select('organization_id as organizationId').distinct().as('unfinished');
  return foundation.database.rows(
    query
      .selectFrom(organizations)
      .select(['organizationId', signingLaneOf(foundation, sql.ref('unfinished.organizationId')).as('lane')])
      .orderBy('organizationId'),
  );
}
