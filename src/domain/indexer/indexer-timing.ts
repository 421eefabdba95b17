import type { BackOff } from '../../platform/jobs/index.js';

/** The waits of the indexer, in milliseconds. */
export interface IndexerTiming {
  /** Between two reads of a mint without an announcement. */
  readonly pollIntervalMs: number;
  /** Between two reads while an announced transaction is not finalized yet. */
  readonly announcedIntervalMs: number;
  /** Between two polls for mints that nobody follows. */
  readonly claimIntervalMs: number;
  /** If a worker has not reported for this long, other workers take its mints. */
  readonly leaseMs: number;
  readonly retry: BackOff;
  /** Between two checks of the mint itself, and of a history with a gap. */
  readonly recheckIntervalMs: number;
  /** How often the progress of an idle mint is written. */
  readonly progressIntervalMs: number;
}

export const DEFAULT_TIMING: IndexerTiming = {
  pollIntervalMs: 2_000,
  announcedIntervalMs: 400,
  claimIntervalMs: 1_000,
  leaseMs: 15_000,
  retry: { firstMs: 250, maxMs: 30_000 },
  recheckIntervalMs: 60_000,
  progressIntervalMs: 10_000,
};
