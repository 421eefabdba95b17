import { sql, type Foundation, type Reader } from '../database/index.js';
import { isLucarneError, messageOf } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import { createPollLoop, type PollLoop } from '../kernel/poll-loop.js';
import { InconsistentLog, SEQUENCER_BATCH, sequenceEntries } from './sequence-entries.js';

/** What the sequencer counts. */
export interface SequencerMetrics {
  entriesSequenced(count: number): void;
  sequencingFailed(reason: SequencingFailure): void;
}

/** `inconsistent`: the stored log contradicts a signed checkpoint, and a person must look. */
export type SequencingFailure = 'inconsistent' | 'database' | 'internal';

export interface SequencerOptions {
  readonly foundation: Foundation;
  /** The host that readers know this service by: it begins the origin of logs that are new. */
  readonly publicHost: string;
  readonly metrics: SequencerMetrics;
  /** How long entries wait at most: this time also gathers them into batches. */
  readonly pollMilliseconds?: number;
}

/** Gives waiting entries their place in the logs. Any number may run: the database lets one at a time at each log. */
export function createSequencer(options: SequencerOptions): PollLoop {
  const { foundation, pollMilliseconds = 1_000 } = options;
  return createPollLoop({
    pollMilliseconds,
    turn: (mayGoOn) => sequenceAll(options, mayGoOn),
    failed: (thrown) =>
      foundation.log.warn({ reason: messageOf(thrown) }, 'Waiting log entries cannot be read.'),
  });
}

/** Sequences what waits now, log by log in turns, so that a long backlog keeps nobody else's log waiting. */
export async function sequenceAll(
  { foundation, publicHost, metrics }: Pick<SequencerOptions, 'foundation' | 'publicHost' | 'metrics'>,
  mayGoOn: () => boolean = () => true,
): Promise<void> {
  let waiting = await waitingLogs(foundation.database);
  while (waiting.length > 0) {
    const unfinished: Id<'org'>[] = [];
    for (const organizationId of waiting) {
      if (!mayGoOn()) return;
      try {
        const count = await sequenceEntries(foundation, { organizationId, publicHost });
        metrics.entriesSequenced(count);
        if (count === SEQUENCER_BATCH) unfinished.push(organizationId);
      } catch (thrown) {
        // One log that cannot go on must not stop the others.
        metrics.sequencingFailed(reasonOf(thrown));
        foundation.log.error(
          { organizationId, reason: messageOf(thrown), err: thrown },
          'A log cannot be continued; its entries wait.',
        );
      }
    }
    waiting = unfinished;
  }
}

/** For how many seconds the oldest entry without an index has waited; 0 when none waits. */
export async function longestWait(reader: Reader): Promise<number> {
  const [row] = await reader.rows(sql<{ seconds: number }>`
    select coalesce(greatest(extract(epoch from now() - min(created_at)), 0), 0)::float8 as seconds
    from activity_entries where log_index is null`);
  return row?.seconds ?? 0;
}

async function waitingLogs(reader: Reader): Promise<Id<'org'>[]> {
  const rows = await reader.rows(sql<{ id: Id<'org'> }>`
    select distinct organization_id as id from activity_entries where log_index is null`);
  return rows.map(({ id }) => id);
}

function reasonOf(thrown: unknown): SequencingFailure {
  if (thrown instanceof InconsistentLog) return 'inconsistent';
  return isLucarneError(thrown) && thrown.code === 'UNAVAILABLE' ? 'database' : 'internal';
}
