import type { BackOff } from '../../platform/jobs/index.js';

/** How long the indexer waits for what; milliseconds. */
export interface IndexerTiming {
  /** Between two looks at a mint of which nothing is announced. */
  readonly pollIntervalMs: number;
  /** Between two looks while something announced is not yet finalized. */
  readonly announcedIntervalMs: number;
  /** Between two looks for mints that nobody follows. */
  readonly claimIntervalMs: number;
  /** A worker that has not reported for this long loses its mints to the others. */
  readonly leaseMs: number;
  readonly retry: BackOff;
  /** Between two checks of the mint itself, and of a history that has a gap. */
  readonly recheckIntervalMs: number;
  /** How often the progress of a mint at rest is written. */
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
