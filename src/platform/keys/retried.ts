import { backOffMs, pause, withTimeout } from '../jobs/index.js';
import { isUnavailable, unavailable } from '../kernel/errors.js';

const MAX_ATTEMPTS = 3;
const BACK_OFF = { firstMs: 200, maxMs: 1_000 };

interface Asked {
  /** The name of the store, as the beginning of a sentence. */
  readonly store: string;
  /** Timeout of a whole attempt: credentials, headers and body. */
  readonly timeoutMs: number;
}

type Attempt<Result> = (signal: AbortSignal) => Promise<Result>;

/** Retries a few times while the attempt is `UNAVAILABLE`. Errors that only a person can repair are not retried. */
export async function retried<Result>(asked: Asked, attempt: Attempt<Result>): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await inTime(asked, attempt);
    } catch (thrown) {
      if (!isUnavailable(thrown) || failures === MAX_ATTEMPTS) throw thrown;
      await pause(backOffMs(BACK_OFF, failures));
    }
  }
}

/** Aborts an attempt by its signal, and does not wait for one that ignores the signal. */
export function inTime<Result>({ store, timeoutMs }: Asked, attempt: Attempt<Result>): Promise<Result> {
  const tooLate = () => unavailable(`${store} does not answer in time.`, { retryAfterSeconds: 5 });
  return withTimeout(timeoutMs, tooLate, attempt);
}
