export { backOffCeilingMs, backOffMs, type BackOff, Reconnection, retry } from './back-off.js';
export { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js';
export { Failed, grouped } from './grouped.js';
export { Lanes } from './lanes.js';
export {
  claimedBy,
  isFree,
  isLeased,
  keepLease,
  LeaseLost,
  leaseExpiry,
  RELEASED,
  type Lease,
  type LeaseTerms,
} from './lease.js';
export { leavable } from './leavable.js';
export { pause } from './pause.js';
export { createPollLoop, type PollLoop } from './poll-loop.js';
export { createSweeper, type Sweep } from './sweeper.js';
export { inSlices, ownTurn, timeSlices } from './time-slices.js';
export { waitUntil } from './wait-until.js';
export { WakeUp } from './wake-up.js';
export { Semaphore } from './semaphore.js';
export { withTimeout } from './with-timeout.js';
export { type Paced, pacedBy, type Pacing, WorkShare } from './work-share.js';
