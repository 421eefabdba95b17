import { Semaphore } from '../../jobs/index.js';

/** What every answer may hold without waiting: nearly all are smaller. */
const FREE_BYTES = 512 * 1024;

/**
 * Bounds the bytes that the answers of one provider hold at a time. Beyond `FREE_BYTES` answers are read one after the
 * other: the next one is not read on, and its provider not drained, until the one before it is parsed or given up.
 */
export class AnswerBudget {
  /** Bytes that are read and not parsed yet. */
  held = 0;
  /** The maximum held at the same time. */
  mostHeld = 0;
  private readonly large = new Semaphore(1);

  /**
   * Runs `read`, which takes the bytes of an answer before it keeps them. They are given back when it ends. Taking rejects
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
      // Also where the turn never came: then it passes at once.
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
