import { WakeUp } from './wake-up.js';

/** Work that comes back, until it is stopped. */
export interface PollLoop extends AsyncDisposable {
  /** Returns at once. A loop runs once. */
  start(): void;
  /** Ends after the turn under way. */
  stop(): Promise<void>;
}

export interface PollLoopOptions {
  readonly pollMilliseconds: number;
  /** One turn. `mayGoOn` says whether a long one should still begin its next part. */
  readonly turn: (mayGoOn: () => boolean) => Promise<void>;
  /** Told of a turn that failed; the next comes all the same. */
  readonly failed: (thrown: unknown) => void;
}

export function createPollLoop({ pollMilliseconds, turn, failed }: PollLoopOptions): PollLoop {
  const wakeUp = new WakeUp();
  const stopping = new AbortController();
  const mayGoOn = () => !stopping.signal.aborted;
  let loop: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    while (mayGoOn()) {
      await turn(mayGoOn).catch(failed);
      if (mayGoOn()) await wakeUp.wait(pollMilliseconds);
    }
  };
  const stop = async () => {
    stopping.abort();
    wakeUp.wake();
    await loop;
  };
  return { start: () => void (loop ??= run()), stop, [Symbol.asyncDispose]: stop };
}
