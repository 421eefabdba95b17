import type { BackOff } from '../../../platform/jobs/index.js';

/** How long the relayer waits. No wait alone decides whether a transaction can still land. */
export interface RelayTiming {
  /** Time between two polls for due requests. */
  readonly pollMs: number;
  /** After this long without a renewal, the requests of a worker are free. */
  readonly leaseDurationMs: number;
  /**
   * Time between two looks at a signed transaction. Each look sends the same bytes again while the transaction may still land.
   */
  readonly rebroadcastMs: number;
  /** How long a majority waits for one more provider. A provider that takes longer is slow, and is not waited for. */
  readonly patienceMs: number;
  /** The pauses after looks that found nothing. */
  readonly backOff: BackOff;
  /**
   * Number of consecutive looks that may find nothing before a request without a signed transaction fails. With the default
   * pauses, this takes at most three minutes. Once a transaction is signed, no number of looks ends a request.
   */
  readonly maxFailedLooks: number;
  /**
   * How long a validation holds for an attempt that is not signed yet: the recipient may be refused meanwhile, also while the
   * gateway is stopped, and in a backup that is restored.
   */
  readonly validForMs: number;
  /**
   * Shortest time of a block. No transaction counts as dead before 150 such blocks, the lifetime of a blockhash, can have
   * passed: 45 s by default. Solana's default slot takes 400 ms. On a faster chain, a death waits longer than necessary.
   * `docs/relaying.md` explains the basis of both figures.
   */
  readonly minBlockMs: number;
  /**
   * Shortest time of a slot. A provider that reports faster slots lies, so the value must hold for the fastest possible chain:
   * SIMD-0525 proposes slots of 200 ms as its last step.
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
  validForMs: 60_000,
  minBlockMs: 300,
  minSlotMs: 150,
  maxDoubtMs: 600_000,
};
