import { type Foundation, query, type Reader } from '../../../platform/database/index.js';
import { isLucarneError } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { createPollLoop, type PollLoop } from '../../../platform/jobs/index.js';
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

/** Gives waiting entries their place in the logs. Any number may run: the database lets one at a time write each log. */
export function createSequencer(options: SequencerOptions): PollLoop {
  const { foundation, pollMs = 1_000 } = options;
  return createPollLoop({
    pollMs,
    turn: (mayGoOn) => sequenceAll(options, mayGoOn),
    failed: (thrown) => foundation.log.warn({ err: thrown }, 'Reading waiting log entries failed.'),
  });
}

/** Sequences what waits now, one batch of each log in turn, so that a long backlog does not delay the other logs. */
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
        if (count === MAX_SEQUENCED_TOGETHER) unfinished.push(organizationId);
      } catch (thrown) {
        // A log that cannot be extended must not stop the others.
        metrics.sequencingFailed(reasonOf(thrown));
        foundation.log.error({ organizationId, err: thrown }, 'Log sequencing failed; the entries wait.');
      }
    }
    waiting = unfinished;
  }
}

async function waitingLogs(reader: Reader): Promise<Id<'org'>[]> {
  const rows = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select('organization_id as id')
      .distinct()
      .where('log_index', 'is', null),
  );
  return rows.map(({ id }) => id);
}

function reasonOf(thrown: unknown): SequencingFailure {
  if (thrown instanceof InconsistentLog) return 'inconsistent';
  return isLucarneError(thrown) && thrown.code === 'UNAVAILABLE' ? 'database' : 'internal';
}
