import { MAX_LOOP_PAUSE_MS, type Scheduler } from './scheduler.ts';

export interface Resting {
  readonly scheduler: Scheduler;
  readonly until: (time: number) => Promise<void>;
  /** Whether no request is open. */
  readonly isAtRest: () => boolean;
  /** Returns a different value after each transaction that wrote, each message to a provider, and each log line. */
  readonly work: () => Promise<string>;
}

/** A pause of a loop, and the work that follows it. */
const TURN_MS = MAX_LOOP_PAUSE_MS + 5_000;
const STEP_MS = 1_000;

/**
 * Passes time in which nothing is submitted. If no request is open that could become due, and if during more than a whole turn
 * of every loop nothing was written to the database, asked of a provider or logged, then the next turns would be the same. They
 * are skipped.
 */
export async function rest({ scheduler, until, isAtRest, work }: Resting, end: number): Promise<void> {
  const lived = () => scheduler.now - scheduler.leaptMs;
  let done: string | undefined;
  let since = lived();
  while (scheduler.now < end) {
    const found = await work();
    if (found !== done || !isAtRest()) {
      done = found;
      since = lived();
    }
    // Rounded up, because a fraction of a millisecond can be too small to change the time that it is added to.
    const left = Math.ceil(since + TURN_MS - lived());
    if (left <= 0) scheduler.leap(end);
    // After a skip, the first step that is due does not belong to a loop.
    await until(Math.min(end, scheduler.now + (left > 0 ? left : STEP_MS)));
  }
}
