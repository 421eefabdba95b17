import type { Random } from '../kernel/random.js';

/** How long the indexer waits for what; milliseconds. */
export interface IndexerTiming {
  /** Between two looks at a mint of which nothing is announced. */
  readonly pollIntervalMs: number;
  /** Between two looks while something announced is not yet finalized. */
  readonly announcedIntervalMs: number;
  /** Between two looks for mints that nobody follows. */
  readonly claimIntervalMs: number;
  /** After this long without a sign of life a worker's mints are free. */
  readonly leaseMs: number;
  /** The first pause after a failure; it doubles up to `longestRetryMs`. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
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
  firstRetryMs: 250,
  longestRetryMs: 30_000,
  recheckIntervalMs: 60_000,
  progressIntervalMs: 10_000,
};

/** Doubles with each failure up to the longest, less up to half by chance, so that workers do not come all at once. */
export function retryDelay(
  { firstRetryMs, longestRetryMs }: IndexerTiming,
  failures: number,
  random: Random,
): number {
  const whole = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 20));
  const [chance = 0] = random(1);
  return whole * (1 - chance / 512);
}
