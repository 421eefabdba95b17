import type { Foundation } from '../../../platform/database/index.js';
import { isUnavailable } from '../../../platform/kernel/errors.js';
import { createPollLoop, Lanes, type PollLoop } from '../../../platform/jobs/index.js';
import type { SequencerMetrics, SequencingFailure } from './sequencer-metrics.js';
import { NO_STORE } from './signing-lanes.js';
import { InconsistentLog, sequenceEntries, MAX_SEQUENCED_TOGETHER } from './sequence-entries.js';
import { waitingLogs } from './waiting-logs.js';

export interface SequencerOptions {
  readonly foundation: Foundation;
  /** The public host of this service. The origins of new logs begin with it. */
  readonly publicHost: string;
  readonly metrics: SequencerMetrics;
  /** Maximum wait of an entry. Entries that arrive in this time share a checkpoint. */
  readonly pollMs?: number;
}

/** Logs of a lane that are sequenced concurrently. */
const PLACES = { here: 1, inStores: 8 };

export const logLanes = () => new Lanes((lane) => (lane === NO_STORE ? PLACES.here : PLACES.inStores));

/** Gives waiting entries their indexes. Any number of sequencers may run: the database lets only one at a time write each log. */
export function createSequencer(options: SequencerOptions): PollLoop {
  const { foundation, pollMs = 1_000 } = options;
  const lanes = logLanes();
  return createPollLoop({
    pollMs,
    turn: (mayContinue) => beginLogs(options, lanes, mayContinue),
    failed: (thrown) => foundation.log.warn({ err: thrown }, 'Reading waiting log entries failed.'),
    ended: () => lanes.ended(),
  });
}

export type Sequencing = Pick<SequencerOptions, 'foundation' | 'publicHost' | 'metrics'>;

/**
 * Starts to sequence waiting entries, one batch of each log in turn, so that a long backlog does not delay other logs. It
 * does not wait for the logs: a key store that hangs delays only the logs whose keys it has.
 */
export async function beginLogs(
  { foundation, publicHost, metrics }: Sequencing,
  lanes: Lanes,
  mayContinue: () => boolean,
): Promise<void> {
  for (const { organizationId, lane } of await waitingLogs(foundation)) {
    lanes.begin(lane, organizationId, async () => {
      if (!mayContinue()) return false;
      try {
        const count = await sequenceEntries(foundation, { organizationId, publicHost });
        metrics.entriesSequenced(count);
        return count === MAX_SEQUENCED_TOGETHER;
      } catch (thrown) {
        // If a log cannot be extended, the other logs must continue.
        metrics.sequencingFailed(reasonOf(thrown));
        foundation.log.error({ organizationId, err: thrown }, 'Log sequencing failed; the entries wait.');
        return false;
      }
    });
  }
}

function reasonOf(thrown: unknown): SequencingFailure {
  if (thrown instanceof InconsistentLog) return 'inconsistent';
  if (!isUnavailable(thrown)) return 'internal';
  return thrown.reason === 'signing_key_away' ? 'signer' : 'database';
}
