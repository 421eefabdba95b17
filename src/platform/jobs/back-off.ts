import { pause } from './pause.js';

/** How long to wait before each retry of something that fails. */
export interface BackOff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Exponential back-off with full jitter (Brooker, "Exponential Backoff And Jitter", 2015): a random time up to
 * `firstMs` after the first failure, doubled with each further failure, up to `maxMs`.
 */
export function backOffMs(terms: BackOff, failures: number, random: () => number = Math.random): number {
  return random() * backOffCeilingMs(terms, failures);
}

/** The same without jitter, if a test or a person must know when the next attempt is made. */
export function backOffCeilingMs({ firstMs, maxMs }: BackOff, failures: number): number {
  // 2^30 ms is twelve days: the exponent is bounded so that the product stays finite.
  return Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));
}

/**
 * Repeats `attempt` until it succeeds. After each failure, `pauseMs` returns how long to wait, or throws if there is no use in
 * another attempt. The signal ends a wait.
 */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  pauseMs: (thrown: unknown, failures: number) => number,
  signal?: AbortSignal,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      await pause(pauseMs(thrown, failures), signal);
    }
  }
}

/** Connects again after each failure, after its pause. */
export class Reconnection implements Disposable {
  /** Failures in a row. */
  failures = 0;
  #waiting: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(
    private readonly terms: BackOff,
    private readonly connect: () => void,
    private readonly random = Math.random,
  ) {}

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** While it waits, another failure changes nothing. */
  failed(): void {
    if (this.#ended || this.isWaiting) return;
    this.failures += 1;
    const pauseMs = backOffMs(this.terms, this.failures, this.random);
    this.#waiting = setTimeout(() => {
      this.#waiting = undefined;
      this.connect();
    }, pauseMs).unref();
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    clearTimeout(this.#waiting);
  }
}
