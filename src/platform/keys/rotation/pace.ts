import { pause, WorkShare } from '../../jobs/index.js';

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
