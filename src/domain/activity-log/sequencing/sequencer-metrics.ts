import { Counter, Gauge, type Registry } from 'prom-client';
import { acrossOrganizations, type Reader } from '../../../platform/database/index.js';
import { longestWait } from './waiting-logs.js';

/** The metrics of the sequencer. */
export interface SequencerMetrics {
  entriesSequenced(count: number): void;
  sequencingFailed(reason: SequencingFailure): void;
}

/**
 * `inconsistent`: the stored log contradicts a signed checkpoint, and a person must examine it. `signer`: the store of a key
 * is unavailable or refuses, and entries wait.
 */
const SEQUENCING_FAILURES = ['inconsistent', 'signer', 'database', 'internal'] as const;
export type SequencingFailure = (typeof SEQUENCING_FAILURES)[number];

/** Each scrape calls `reader` for the wait of the oldest entry without an index. */
export function createSequencerMetrics(registry: Registry, reader: Reader): SequencerMetrics {
  const registers = [registry];
  const entries = new Counter({
    name: 'lucarne_log_entries_sequenced_total',
    help: 'Activity log entries that this instance sequenced.',
    registers,
  });
  const failures = new Counter({
    name: 'lucarne_log_sequencing_failures_total',
    help: 'Batches of the activity log that failed, by reason. An operator must act on `inconsistent` at once.',
    labelNames: ['reason'] as const,
    registers,
  });
  // Starts at 0, so that an alert sees an increase with the first failure.
  for (const reason of SEQUENCING_FAILURES) failures.inc({ reason }, 0);
  new Gauge({
    name: 'lucarne_log_longest_wait_seconds',
    help: 'How long the oldest activity log entry without an index has waited. More than 10 is an alarm.',
    registers,
    async collect() {
      // Without a database, the scrape must still answer, with the last value.
      const seconds = await acrossOrganizations(() => longestWait(reader)).catch(() => undefined);
      if (seconds !== undefined) this.set(seconds);
    },
  });
  return {
    entriesSequenced: (count) => entries.inc(count),
    sequencingFailed: (reason) => failures.inc({ reason }),
  };
}
