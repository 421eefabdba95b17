import type { BackOff } from '../../../platform/jobs/index.js';

/** How long the relayer waits. Waits never decide on their own whether a transaction can still land. */
export interface RelayTiming {
  /** Between two looks for due requests. */
  readonly pollMs: number;
  /** A worker's requests are free after this long without a renewal. */
  readonly leaseDurationMs: number;
  /** Between two looks at a signed transaction; each sends the same bytes again while it may still land. */
  readonly rebroadcastMs: number;
  /** How long a majority waits for one more provider. A provider that takes longer is slow, and not waited for. */
  readonly patienceMs: number;
  /** The pauses after looks that found nothing. */
  readonly backOff: BackOff;
  /**
   * Looks in a row that may find nothing while nothing is signed; then the request fails. With the default pauses that
   * is at most three minutes. Once something is signed, no number of looks ends a request.
   */
  readonly maxFailedLooks: number;
  /**
   * Nothing is taken for dead before 150 blocks of this time, the lifetime of a blockhash, can have passed: 45 s. Solana's
   * default is a slot in 400 ms. On a faster chain a death waits longer than it must. `docs/relaying.md` says what both figures rest on.
   */
  readonly minBlockMs: number;
  /**
   * Slots cannot come faster than one in this time: a provider that tells of more lies. So it must hold for the fastest chain that
   * there may be: SIMD-0525 proposes slots of 200 ms for its last step.
   */
  readonly minSlotMs: number;
  /** This long after signing, silent providers no longer delay what a majority proves. */
  readonly maxDoubtMs: number;
}

export const DEFAULT_RELAY_TIMING: RelayTiming = {
  pollMs: 500,
  leaseDurationMs: 30_000,
  rebroadcastMs: 2_000,
  patienceMs: 1_000,
  backOff: { firstMs: 500, maxMs: 30_000 },
  maxFailedLooks: 12,
  minBlockMs: 300,
  minSlotMs: 150,
  maxDoubtMs: 600_000,
};
