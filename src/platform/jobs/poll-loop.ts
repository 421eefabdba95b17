import { WakeUp } from './wake-up.js';

/** Work that is repeated until it is stopped. */
export interface PollLoop extends AsyncDisposable {
  /** Returns at once. A second call does nothing. */
  start(): void;
  /** The next turn begins at once, or as soon as the current one has ended. */
  wake(): void;
  /** Resolves when the current turn and `ended` have finished. A second call waits for the same. */
  stop(): Promise<void>;
}

export interface PollLoopOptions {
  readonly pollMs: number;
  /** The wait after this many failed turns in a row. The default is `pollMs`. */
  readonly retryMs?: (failures: number) => number;
  /** One turn. A long one asks `mayContinue` before each of its parts. */
  readonly turn: (mayContinue: () => boolean) => Promise<void>;
  /** Called after a turn that failed, with the number of consecutive failures. The loop continues. */
  readonly failed: (thrown: unknown, failures: number) => void;
  /** Called at the start, with a function that makes the next turn begin at once. Returns a function that ends the listening. */
  readonly listen?: (wake: () => void) => () => void;
  /** Called once, after the last turn of a loop that was started. */
  readonly ended?: () => Promise<void>;
}

export function createPollLoop({
  pollMs,
  retryMs = () => pollMs,
  turn,
  failed,
  listen,
  ended,
}: PollLoopOptions): PollLoop {
  const wakeUp = new WakeUp();
  const stopping = new AbortController();
  const mayContinue = () => !stopping.signal.aborted;
  let loop: Promise<void> | undefined;

  const wake = () => wakeUp.wake();
  const run = async (): Promise<void> => {
    const unlisten = listen?.(wake);
    let failures = 0;
    while (mayContinue()) {
      try {
        await turn(mayContinue);
        failures = 0;
      } catch (thrown) {
        failures += 1;
        failed(thrown, failures);
      }
      if (mayContinue()) await wakeUp.wait(failures === 0 ? pollMs : retryMs(failures));
    }
    unlisten?.();
    await ended?.();
  };
  const stop = async () => {
    stopping.abort();
    wake();
    await loop;
  };
  return { start: () => void (loop ??= run()), wake, stop, [Symbol.asyncDispose]: stop };
}
