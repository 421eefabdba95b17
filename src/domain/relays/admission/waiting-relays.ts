import { query, sql, template, type Foundation, type Reader } from '../../../platform/database/index.js';

/** How long a count is used again. A queue of this limit takes longer to fill by half. */
const COUNT_KEPT_MS = 250;
const MIN_LIMIT_KEPT = 1_000;

/** The queue of an instance, as all instances fill it. */
export interface WaitingRelays {
  /** Number of requests that wait for execution, counted up to the limit. */
  count(): Promise<number>;
  /** Call it when this instance accepted up to so many. A refusal always follows a new count. */
  accepted(requests: number): void;
}

/**
 * Counting takes as long as the queue is, so a count is used again for a moment while less than half of the limit waits. From
 * there on, and for a small limit, it counts each time.
 */
export function createWaitingRelays(
  { database, clock }: Pick<Foundation, 'database' | 'clock'>,
  limit: number,
): WaitingRelays {
  let kept = { waiting: limit, at: 0 };
  let acceptedSoFar = 0;
  return {
    async count() {
      const now = clock.now().getTime();
      const isRecent = now >= kept.at && now - kept.at < COUNT_KEPT_MS;
      if (isRecent && kept.waiting < limit / 2 && limit >= MIN_LIMIT_KEPT) return kept.waiting;
      const acceptedBefore = acceptedSoFar;
      const waiting = await countUpTo(database, limit);
      kept = { waiting: waiting + acceptedSoFar - acceptedBefore, at: now };
      return waiting;
    },
    accepted(requests) {
      kept.waiting += requests;
      acceptedSoFar += requests;
    },
  };
}

const WAITING = ['accepted', 'validating', 'queued'] as const;

const counting = template('relays_waiting', ({ limit }: { readonly limit: number }) =>
  query
    .selectFrom((from) =>
      from
        .selectFrom('relay_requests')
        .select('id')
        // Literals: the plan must see that they are those of the index.
        .where(
          'status',
          'in',
          WAITING.map((status) => sql.lit(status)),
        )
        .limit(sql<number>`${limit}`)
        .as('waiting'),
    )
    .select(sql<number>`count(*)::integer`.as('waiting')),
);

async function countUpTo(reader: Reader, limit: number): Promise<number> {
  const [{ waiting } = { waiting: 0 }] = await reader.rows(counting({ limit }));
  return waiting;
}
