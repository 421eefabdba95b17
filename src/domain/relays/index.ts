import 'reflect-metadata';
import {
  RelayApplicationEntity,
  RelayAttemptEntity,
  RelayConclusionEntity,
  RelayEventEntity,
  RelayNullifierEntity,
  RelayOrganizationEntity,
  RelayReceiptEntity,
  RelayRequestEntity,
  RelaySpendingEntity,
} from './relay.entity.js';
import type { RelayDesk } from './admission/relay-desk.js';
import { RelayResolver, RelayRetryResolver, relayStatusResolver } from './relay.resolver.js';
export { SEALED_PACKAGES } from './packages/sealed-package.js';
export { InvalidPoolsFile, parsePoolsFile, type PoolDescriptor } from './pools/pool-descriptor.js';
export { readPoolsFile, type Pools } from './pools/read-pools-file.js';
export { poolsFileSchema } from './pools/pools-file-schema.js';
export { createRelayDesk, type RelayDesk, type RelayDeskOptions } from './admission/relay-desk.js';
export { sweepRejectedRelays } from './admission/sweep-rejected-relays.js';
export { packageDigest, parseRelayPackage } from './packages/relay-package.js';
export { createRelayDeskMetrics, createRelayMetrics } from './relay-metrics.js';
export {
  InvalidKeyFile,
  keyFileSigner,
  keyPairSigner,
  type RelaySigner,
  signerOf,
} from './payers/relay-signer.js';
export { createPayerBalance, type BalanceNodes } from './payers/payer-balance.js';
export { createPayers, type Payers, type PayerState } from './payers/payers.js';
export { createPayerMetrics } from './payers/payer-metrics.js';
export { lastSignedAt, listPayers, type ListedPayer } from './payers/list-payers.js';
export { createRelayWorker } from './execution/relay-worker.js';
export { verifyRelayReceipt } from './evidence/verify-relay-receipt.js';
export { isTerminal } from './relay-state.js';
export { showRelay, type ShownRelay } from './status/show-relay.js';

export const relayEntities = [
  RelayRequestEntity,
  RelayNullifierEntity,
  RelayOrganizationEntity,
  RelayApplicationEntity,
  RelayAttemptEntity,
  RelayConclusionEntity,
  RelayEventEntity,
  RelayReceiptEntity,
  RelaySpendingEntity,
] as const;

/** The room's resolvers, ready to serve. */
export function relayResolvers(desk: RelayDesk): object[] {
  return [new RelayResolver(desk), new RelayRetryResolver(desk), relayStatusResolver(desk)];
}
