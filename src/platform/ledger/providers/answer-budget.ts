import { Semaphore } from '../../jobs/index.js';

/** The size up to which an answer is read without waiting. Nearly all answers are smaller. */
const FREE_BYTES = 512 * 1024;

/**
 * Limits the bytes that the answers of one provider hold at a time. Answers larger than `FREE_BYTES` are read one at a time:
 * the next one is paused, without draining its provider, until the previous one is parsed or abandoned.
 */
export class AnswerBudget {
  /** Bytes that are read but not parsed yet. */
  held = 0;
  /** The maximum held at the same time. */
  mostHeld = 0;
  private readonly large = new Semaphore(1);

  /**
   * Runs `read`, which takes the bytes of an answer before it keeps them. They are returned when `read` ends. `take` rejects
   * when `signal` aborts.
   */
  async hold<T>(
    read: (take: (bytes: number) => Promise<void>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const ended = Promise.withResolvers<undefined>();
    let taken = 0;
    let turn: Promise<void> | undefined;
    const take = async (bytes: number): Promise<void> => {
      taken += bytes;
      this.held += bytes;
      this.mostHeld = Math.max(this.mostHeld, this.held);
      if (taken <= FREE_BYTES) return;
      turn ??= new Promise((resolve) => {
        void this.large.run(() => {
          resolve();
          return ended.promise;
        });
      });
      await orAborted(turn, signal);
    };
    try {
      return await read(take);
    } finally {
      this.held -= taken;
      // If the turn has not come yet, it then ends at once.
      ended.resolve(undefined);
    }
  }
}

async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
