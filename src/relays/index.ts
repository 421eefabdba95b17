import {
  RelayAttemptEntity,
  RelayEventEntity,
  RelayNullifierEntity,
  RelayOrganizationEntity,
  RelayReceiptEntity,
  RelayRequestEntity,
} from './relay.entity.js';

export { buildMessage, nullifierAccounts } from './build-transaction.js';
export {
  InvalidPoolsFile,
  parsePoolsFile,
  type PoolCircuit,
  type PoolDescriptor,
} from './pool-descriptor.js';
export { readPoolsFile, type Pools } from './read-pools-file.js';
export { PoolsFile } from './pool-schema.js';
export { relaySignals, signalCountOf, type CircuitShape, type RelaySignals } from './relay-identity.js';
export { packageDigest, parseRelayPackage, type PackageProblem, type RelayPackage } from './relay-package.js';
export { noRelayMetrics, type RelayMetrics } from './relay-metrics.js';
export { InvalidKeyFile, keyFileSigner, keyPairSigner, type RelaySigner } from './relay-signer.js';
export { DEFAULT_RELAY_TIMING, type RelayTiming } from './relay-timing.js';
export { createRelayWorker, type RelayWorker, type RelayWorkerOptions } from './relay-worker.js';
export { openPackage, sealPackage } from './sealed-package.js';
export {
  FAILURE_REASONS,
  isTerminal,
  mayBecome,
  REJECTION_REASONS,
  RELAY_STATUSES,
  type FailureReason,
  type RejectionReason,
  type RelayStatus,
} from './relay-state.js';

export const relayEntities = [
  RelayRequestEntity,
  RelayNullifierEntity,
  RelayOrganizationEntity,
  RelayAttemptEntity,
  RelayEventEntity,
  RelayReceiptEntity,
] as const;
