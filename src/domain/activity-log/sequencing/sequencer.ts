import { type Foundation, sql } from '../../../platform/database/index.js';
import { isLucarneError } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { createPollLoop, type PollLoop, Semaphore } from '../../../platform/jobs/index.js';
import type { SequencerMetrics, SequencingFailure } from './sequencer-metrics.js';
import { InconsistentLog, sequenceEntries, MAX_SEQUENCED_TOGETHER } from './sequence-entries.js';

export interface SequencerOptions {
  readonly foundation: Foundation;
  /** The host that readers know this service by: it begins the origin of logs that are new. */
  readonly publicHost: string;
  readonly metrics: SequencerMetrics;
  /** How long an entry waits at most. Entries of this time share a checkpoint. */
  readonly pollMs?: number;
}

/** Where the keys are that sign a log: all of them here, or some in a store. */
type Keys = 'here' | 'in a store';

/** How many logs ask stores at once. */
const MAX_LOGS_AT_ONCE: Readonly<Record<Keys, number>> = { here: 1, 'in a store': 8 };

/** Gives waiting entries their place in the logs. Any number may run: the database lets one at a time write each log. */
export function createSequencer(options: SequencerOptions): PollLoop {
  const { foundation, pollMs = 1_000 } = options;
  const loopOf = (keys: Keys) =>
    createPollLoop({
      pollMs,
      turn: (mayGoOn) => sequenceLogs(options, keys, mayGoOn),
      failed: (thrown) => foundation.log.warn({ err: thrown }, 'Reading waiting log entries failed.'),
    });
  // A store that hangs must not delay the logs that need none.
  const loops = [loopOf('here'), loopOf('in a store')];
  const stop = async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
  };
  return {
    start: () => loops.forEach((loop) => loop.start()),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

type Sequencing = Pick<SequencerOptions, 'foundation' | 'publicHost' | 'metrics'>;

/** Sequences what waits now, one batch of each log in turn, so that a long backlog does not delay the other logs. */
export async function sequenceAll(sequencing: Sequencing): Promise<void> {
  await sequenceLogs(sequencing, 'here', () => true);
  await sequenceLogs(sequencing, 'in a store', () => true);
}

async function sequenceLogs(
  { foundation, publicHost, metrics }: Sequencing,
  keys: Keys,
  mayGoOn: () => boolean,
): Promise<void> {
  const places = new Semaphore(MAX_LOGS_AT_ONCE[keys]);
  let waiting = await waitingLogs(foundation, keys);
  while (waiting.length > 0) {
    const unfinished: Id<'org'>[] = [];
    const sequence = async (organizationId: Id<'org'>) => {
      if (!mayGoOn()) return;
      try {
        const count = await sequenceEntries(foundation, { organizationId, publicHost });
        metrics.entriesSequenced(count);
        if (count === MAX_SEQUENCED_TOGETHER) unfinished.push(organizationId);
      } catch (thrown) {
        // A log that cannot be extended must not stop the others.
        metrics.sequencingFailed(reasonOf(thrown));
        foundation.log.error({ organizationId, err: thrown }, 'Log sequencing failed; the entries wait.');
      }
    };
    await Promise.all(waiting.map((organizationId) => places.run(() => sequence(organizationId))));
    waiting = unfinished;
  }
}

async function waitingLogs({ database, signingKeys }: Foundation, keys: Keys): Promise<Id<'org'>[]> {
  // A log without a key gets one where the configuration says. Raw: the builder has no `bool_or` over a derived table.
  const makesKey = signingKeys.next !== undefined;
  const rows = await database.rows(sql<{ id: Id<'org'>; isKept: boolean }>`
    select id, coalesce(
      (select bool_or(store_key is not null and (cosigns_until is null or cosigns_until > now()))
        from signing_keys where organization_id = id), ${makesKey}) as "isKept"
    from (select distinct organization_id as id from activity_entries where log_index is null) as waiting`);
  return rows.filter(({ isKept }) => isKept === (keys === 'in a store')).map(({ id }) => id);
}

function reasonOf(thrown: unknown): SequencingFailure {
  if (thrown instanceof InconsistentLog) return 'inconsistent';
  if (!isLucarneError(thrown) || thrown.code !== 'UNAVAILABLE') return 'internal';
  return thrown.reason === 'signing_key_away' ? 'signer' : 'database';
}
