/**
 * Bounds the share of time that a kind of work takes: `share` milliseconds of work in each millisecond, and `burstMs` at
 * once after a rest. What a piece of work costs is the shortest time that one ever took: longer ones waited for a core.
 */
export class WorkShare {
  private costMs = Infinity;
  private owedMs = 0;
  private asOf = 0;

  constructor(
    private readonly share: number,
    private readonly burstMs: number,
  ) {}

  /** Counts a piece of work that took `tookMs` and ended at `nowMs`: how long to rest before the next. */
  spend(tookMs: number, nowMs: number): number {
    this.costMs = Math.min(this.costMs, tookMs);
    this.owedMs = Math.max(0, this.owedMs - (nowMs - this.asOf) * this.share) + this.costMs;
    this.asOf = nowMs;
    return Math.max(0, (this.owedMs - this.burstMs) / this.share);
  }
}
