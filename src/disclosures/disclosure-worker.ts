import { sql, type Foundation } from '../database/index.js';
import { messageOf } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import { createPollLoop, type PollLoop } from '../kernel/poll-loop.js';
import { logFailure, type Fulfilment } from './fulfilment.js';

export interface DisclosureWorkerOptions {
  readonly foundation: Foundation;
  readonly fulfilment: Fulfilment;
  readonly pollMilliseconds?: number;
}

const BATCH = 10;

/** Finishes authorized disclosures that nobody is making: their process ended, or the queue was full. */
export function createDisclosureWorker({
  foundation,
  fulfilment,
  pollMilliseconds = 2_000,
}: DisclosureWorkerOptions): PollLoop {
  return createPollLoop({
    pollMilliseconds,
    async turn(mayGoOn) {
      for (const id of await unfinished(foundation)) {
        if (!mayGoOn()) return;
        await fulfilment.fulfil(id).catch((thrown: unknown) => logFailure(foundation, id, thrown));
      }
    },
    failed: (thrown) =>
      foundation.log.warn({ reason: messageOf(thrown) }, 'Unfinished disclosures cannot be read.'),
  });
}

async function unfinished({ database }: Foundation): Promise<Id<'dsc'>[]> {
  const rows = await database.rows(sql<{ id: Id<'dsc'> }>`
    select id from disclosures
    where status = 'pending' and decision = 'authorize' and (lease_expires_at is null or lease_expires_at <= now())
    order by id limit ${BATCH}`);
  return rows.map(({ id }) => id);
}
