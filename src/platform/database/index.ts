export {
  connectDatabase,
  type Database,
  type DatabaseOptions,
  takeTurn,
  type PostgresqlTarget,
  type Reader,
  type Transaction,
} from './database.js';
export { batched, batchedByIds, type Owned, type Wanted } from './reading/batched.js';
export { openEmbedded, type EmbeddedDatabase } from './embedded/embedded-database.js';
export type { Foundation } from './foundation.js';
export {
  amendIdempotentAnswer,
  IDEMPOTENCY_KEY,
  type IdempotentRequest,
  SEALED_ANSWERS,
  sweepIdempotencyKeys,
  withIdempotencyKey,
} from './idempotency/idempotency.js';
export { platformEntities } from './entities.js';
export { sqlStateOf, violatedConstraint } from './database-errors.js';
export { examineReplica } from './replicas/examine-replica.js';
export { watchReplicas } from './replicas/replica-metrics.js';
export { connectReads, type ReplicatedReads } from './replicas/replicated-reads.js';
export {
  countedWithin,
  countInWindows,
  countTogether,
  fullWindows,
  refusal,
  sweepRateWindows,
  windowDigests,
  type CountedWithin,
  type RateWindow,
} from './rate-windows.js';
export { excessivePrivileges, grantServing, missingPrivileges } from './serving-role.js';
export { readSetting, storeSetting } from './settings.js';
export { all, jsonb, sql, withoutFlush } from './sql.js';
export { named, prepared, Prepared, template } from './statement.js';
export type { OwnerPermission } from './migrations/owner-permissions.js';
export { acrossOrganizations, actingFor, inShareOf, piecewise } from './scope/acting-for.js';
export { idsThatFit } from './reading/rows-that-fit.js';
export { followPositions, type FollowOptions } from './reading/follow-positions.js';
export {
  aliasedColumnsOf,
  columnsOf,
  query,
  type RowOf,
  type TableOf,
  type Tables,
  type TypedStatement,
  valuesOf,
} from './query.js';
