import type { Clock } from '../kernel/clock.js';

/** Blocks calls to a failing service, so that callers do not wait for it. */
export interface CircuitBreaker {
  /** Whether a call may be made now. While the circuit is open, one call at a time is allowed, after each pause. */
  admits(): boolean;
  succeeded(): void;
  failed(): void;
}

const FAILURES_TO_OPEN = 5;

/** Opens after five consecutive failures. After each pause it allows one call. If that succeeds, it closes. */
export function createCircuitBreaker(clock: Clock, pauseMs: number): CircuitBreaker {
  let failures = 0;
  let triedAt = 0;
  return {
    admits() {
      if (failures < FAILURES_TO_OPEN) return true;
      const now = clock.now().getTime();
      // A clock that was set back must not keep it open for longer than the pause.
      if (now - triedAt < pauseMs && now >= triedAt) return false;
      triedAt = now;
      return true;
    },
    succeeded() {
      failures = 0;
    },
    failed() {
      failures += 1;
      triedAt = clock.now().getTime();
    },
  };
}
