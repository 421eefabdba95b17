import { pause } from './pause.js';

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

/** How much of its time a command works. It rests between pieces of work, so that instances serve undisturbed. */
export interface Pacing {
  /** Above 0 and up to 1, which is the default: it does not rest. */
  readonly share?: number;
  readonly time?: Time;
}

/** A clock that does not go back, and how to wait. */
interface Time {
  readonly elapsedMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

const REAL_TIME: Time = { elapsedMs: () => performance.now(), pause };
/** Work that needs no rest: small tables are done at once. More than a batch takes, or the share would not be reached. */
const BURST_MS = 1_000;
const MAX_REST_MS = 60_000;

export type Paced = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Rests after each piece of work for as long as the share requires. */
export function pacedBy({ share = 1, time = REAL_TIME }: Pacing): Paced {
  const workShare = new WorkShare(share, BURST_MS, MAX_REST_MS);
  return async (work) => {
    const began = time.elapsedMs();
    const result = await work();
    const ended = time.elapsedMs();
    const restMs = share < 1 ? workShare.spend(ended - began, ended) : 0;
    if (restMs > 0) await time.pause(restMs);
    return result;
  };
}
