/**
 * Bounds the share of time that a kind of work takes: `share` milliseconds of work in each millisecond, and `burstMs` at
 * once after a rest. Time that work waits for a core counts, so that it takes less of a machine that is busy otherwise.
 * No rest is longer than `maximumRestMs`: longer work, as in a process that was frozen, counts no further.
 */
export class WorkShare {
  private owedMs = 0;
  private asOf = 0;

  constructor(
    private readonly share: number,
    private readonly burstMs: number,
    private readonly maximumRestMs: number,
  ) {}

  /** Counts a piece of work that took `tookMs` and ended at `nowMs`: how long to rest before the next. */
  spend(tookMs: number, nowMs: number): number {
    const owedMs = Math.max(0, this.owedMs - (nowMs - this.asOf) * this.share) + tookMs;
    this.owedMs = Math.min(owedMs, this.burstMs + this.maximumRestMs * this.share);
    this.asOf = nowMs;
    return Math.max(0, (this.owedMs - this.burstMs) / this.share);
  }
}
