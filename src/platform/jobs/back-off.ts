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
