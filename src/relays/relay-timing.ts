import type { Random } from '../kernel/random.js';

/** How long the relayer waits for what. None of it decides whether a transaction can still land: heights do. */
export interface RelayTiming {
  /** Between two looks for due requests; milliseconds. */
  readonly pollMs: number;
  /** After this long without a sign of life a worker's requests are free. */
  readonly leaseMs: number;
  /** Between two looks at what was sent, each with the same bytes sent again while nobody knows them. */
  readonly rebroadcastMs: number;
  /** The pause after a look that found nothing out; it doubles up to `longestRetryMs`. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /**
   * Looks in a row that may find nothing out while nothing is signed; then the request has failed. With the pauses above
   * that is about three minutes. Once something is signed, no number of looks ends a request.
   */
  readonly mostFailedLooks: number;
}

export const DEFAULT_RELAY_TIMING: RelayTiming = {
  pollMs: 500,
  leaseMs: 30_000,
  rebroadcastMs: 2_000,
  firstRetryMs: 500,
  longestRetryMs: 30_000,
  mostFailedLooks: 12,
};

/** Doubles with each failure up to the longest, less up to half by chance, so that requests do not come all at once. */
export function lookDelay(
  { firstRetryMs, longestRetryMs }: RelayTiming,
  failures: number,
  random: Random,
): number {
  const whole = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(Math.max(failures - 1, 0), 20));
  const [chance = 0] = random(1);
  return Math.round(whole * (1 - chance / 512));
}
