import { WakeUp } from './wake-up.js';

/** Work that is repeated until it is stopped. */
export interface PollLoop extends AsyncDisposable {
  /** Returns at once. A second call does nothing. */
  start(): void;
  /** Resolves when the current turn has ended. */
  stop(): Promise<void>;
}

export interface PollLoopOptions {
  readonly pollMs: number;
  /** One turn. A long one asks `mayGoOn` before each of its parts. */
  readonly turn: (mayGoOn: () => boolean) => Promise<void>;
  /** Called after a turn that failed. The loop continues. */
  readonly failed: (thrown: unknown) => void;
}

export function createPollLoop({ pollMs, turn, failed }: PollLoopOptions): PollLoop {
  const wakeUp = new WakeUp();
  const stopping = new AbortController();
  const mayGoOn = () => !stopping.signal.aborted;
  let loop: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    while (mayGoOn()) {
      await turn(mayGoOn).catch(failed);
      if (mayGoOn()) await wakeUp.wait(pollMs);
    }
  };
  const stop = async () => {
    stopping.abort();
    wakeUp.wake();
    await loop;
  };
  return { start: () => void (loop ??= run()), stop, [Symbol.asyncDispose]: stop };
}
