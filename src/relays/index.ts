import 'reflect-metadata';
import {
  RelayAttemptEntity,
  RelayEventEntity,
  RelayNullifierEntity,
  RelayOrganizationEntity,
  RelayReceiptEntity,
  RelayRequestEntity,
} from './relay.entity.js';
import type { RelayDesk } from './relay-desk.js';
import { RelayResolver, relayStatusResolver } from './relay.resolver.js';

export { buildMessage, nullifierAccounts } from './build-transaction.js';
export {
  InvalidPoolsFile,
  parsePoolsFile,
  type PoolCircuit,
  type PoolDescriptor,
} from './pool-descriptor.js';
export { countRelays } from './count-relays.js';
export { readPoolsFile, type Pools } from './read-pools-file.js';
export { poolsFileSchema } from './pools-file-schema.js';
export {
  createRelayDesk,
  type RelayDesk,
  type RelayDeskMetrics,
  type RelayDeskOptions,
  type RelayLimits,
  type SubmissionOutcome,
} from './relay-desk.js';
export { relaySignals, signalCountOf, type CircuitShape, type RelaySignals } from './relay-identity.js';
export { packageDigest, parseRelayPackage, type PackageProblem, type RelayPackage } from './relay-package.js';
export { noRelayMetrics, type RelayMetrics } from './relay-metrics.js';
export { InvalidKeyFile, keyFileSigner, keyPairSigner, type RelaySigner } from './relay-signer.js';
export { DEFAULT_RELAY_TIMING, type RelayTiming } from './relay-timing.js';
export { createRelayWorker, type RelayWorker, type RelayWorkerOptions } from './relay-worker.js';
export { openPackage, sealPackage } from './sealed-package.js';
export {
  verifyRelayReceipt,
  type RelayReceiptCheck,
  type RelayReceiptVerification,
} from './verify-relay-receipt.js';
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

/** The room's resolvers, ready to serve. */
export function relayResolvers(desk: RelayDesk): object[] {
  return [new RelayResolver(desk), relayStatusResolver(desk)];
}
