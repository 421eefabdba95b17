export { inProcessSignals, type Signals } from './signals.js';
export { postgresqlSignals } from './postgresql-signals.js';
export { redisSignals } from './redis-signals.js';
export { isPushable, leftBy, type Pushable } from './pushable.js';
