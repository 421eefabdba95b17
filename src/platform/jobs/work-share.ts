/**
 * Limits the share of time that a kind of work takes: `share` milliseconds of work per millisecond, and up to `burstMs` without
 * a rest. Time in which work waits for a core counts, so that the work takes less of a busy machine. No rest is longer than
 * `maxRestMs`, even after very long work, as in a process that was frozen.
 */
export class WorkShare {
  private owedMs = 0;
  private asOf = 0;

  constructor(
    private readonly share: number,
    private readonly burstMs: number,
    private readonly maxRestMs: number,
  ) {}

  /** Counts a piece of work that took `tookMs` and ended at `nowMs`. Returns how long to rest before the next piece. */
  spend(tookMs: number, nowMs: number): number {
    const owedMs = Math.max(0, this.owedMs - (nowMs - this.asOf) * this.share) + tookMs;
    this.owedMs = Math.min(owedMs, this.burstMs + this.maxRestMs * this.share);
    this.asOf = nowMs;
    return Math.max(0, (this.owedMs - this.burstMs) / this.share);
  }
}
