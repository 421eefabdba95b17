import { backOffMs, retry, withTimeout } from '../jobs/index.js';
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
export function retried<Result>(asked: Asked, attempt: Attempt<Result>): Promise<Result> {
  const pauseMs = (thrown: unknown, failures: number) => {
    if (!isUnavailable(thrown) || failures === MAX_ATTEMPTS) throw thrown;
    return backOffMs(BACK_OFF, failures);
  };
  return retry(() => inTime(asked, attempt), pauseMs);
}

/** Aborts an attempt by its signal, and does not wait for one that ignores the signal. */
export function inTime<Result>({ store, timeoutMs }: Asked, attempt: Attempt<Result>): Promise<Result> {
  const tooLate = () => unavailable(`${store} does not answer in time.`, { retryAfterSeconds: 5 });
  return withTimeout(timeoutMs, tooLate, attempt);
}
