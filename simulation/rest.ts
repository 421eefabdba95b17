import { MAX_LOOP_PAUSE_MS, type Scheduler } from './scheduler.ts';

export interface Resting {
  readonly scheduler: Scheduler;
  readonly until: (time: number) => Promise<void>;
  /** Whether no request is open. */
  readonly isAtRest: () => boolean;
  /** Another value after each transaction that wrote, each message to a provider, and each line of a log. */
  readonly work: () => Promise<string>;
}

/** A pause of a loop, and what it does then. */
const TURN_MS = MAX_LOOP_PAUSE_MS + 5_000;
const STEP_MS = 1_000;

/**
 * Passes time in which nothing is submitted. Once every loop had more than a whole turn in which nobody wrote to the
 * database, asked a provider or logged anything, and no request is open whose time could come, the next turns would be
 * the same: they are leapt over.
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
    // Whole, because a part of a millisecond can be too short to change the time that it is added to.
    const left = Math.ceil(since + TURN_MS - lived());
    if (left <= 0) scheduler.leap(end);
    // What is due after a leap is no loop's.
    await until(Math.min(end, scheduler.now + (left > 0 ? left : STEP_MS)));
  }
}
