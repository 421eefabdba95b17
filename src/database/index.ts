export {
  connectDatabase,
  openPglite,
  type Database,
  type DatabaseOptions,
  type Reader,
  type Transaction,
} from './database.js';
export type { Foundation } from './foundation.js';
export {
  amendIdempotentAnswer,
  IDEMPOTENCY_HOURS,
  withIdempotencyKey,
  type IdempotentRequest,
} from './idempotency.js';
export { violatedConstraint } from './database-errors.js';
export { prepared, Prepared } from './prepared.js';
export { countInWindows, type RateWindow } from './rate-windows.js';
export { all, jsonb, sql } from './sql.js';
export { followPositions, type FollowOptions, type Positioned } from './follow-positions.js';
export { inProcessSignals, type Signals } from './signals.js';
export { postgresqlSignals } from './postgresql-signals.js';
export { redisSignals } from './redis-signals.js';
