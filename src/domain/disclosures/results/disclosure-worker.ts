import { type Foundation, query } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { createPollLoop, isFree, type PollLoop } from '../../../platform/jobs/index.js';
import { type Fulfilment, isDue, logFailure } from './fulfilment.js';

export interface DisclosureWorkerOptions {
  readonly foundation: Foundation;
  readonly fulfilment: Fulfilment;
  readonly pollMs?: number;
}

/** Results that are made for one organization before the loop pauses. */
const ROUNDS = 10;

/** Finishes authorized disclosures that no instance is making: its process ended, or the queue was full. */
export function createDisclosureWorker({
  foundation,
  fulfilment,
  pollMs = 2_000,
}: DisclosureWorkerOptions): PollLoop {
  return createPollLoop({
    pollMs,
    async turn(mayGoOn) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const ids = await oldestUnfinished(foundation);
        if (ids.length === 0) return;
        for (const id of ids) {
          if (!mayGoOn()) return;
          await fulfilment.fulfill(id).catch((thrown: unknown) => logFailure(foundation, id, thrown));
        }
      }
    },
    failed: (thrown) => foundation.log.warn({ err: thrown }, 'Unfinished disclosures cannot be read.'),
  });
}

/** Of each organization the oldest: one that has many does not hold up another that has one. */
async function oldestUnfinished({ database }: Foundation): Promise<Id<'dsc'>[]> {
  const rows = await database.rows(
    query
      .selectFrom('disclosures')
      .distinctOn('organization_id')
      .select('id')
      .where('status', '=', 'pending')
      .where('decision', '=', 'authorize')
      .where(isFree)
      .where(isDue)
      .orderBy('organization_id')
      .orderBy('id'),
  );
  return rows.map(({ id }) => id);
}
