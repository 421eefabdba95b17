import type { SealedColumn, Sealer } from '../../../platform/crypto/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { canonicalJson } from '../../../platform/kernel/encoding/json.js';
import { canonicalPackage, parseRelayPackage, type RelayPackage } from './relay-package.js';
import { packageContext } from '../relay.js';

export const SEALED_PACKAGES: SealedColumn = {
  ...{ table: 'relay_requests', column: 'sealed_package', purpose: 'relay_requests', rows: 200 },
  key: ['id'],
  context: ([id]) => packageContext(id as Id<'rly'>),
};

/** The encrypted package, as stored in the row of the request. */
export function sealPackage(sealer: Sealer, id: Id<'rly'>, relayPackage: RelayPackage): Uint8Array {
  return sealer.seal(
    new TextEncoder().encode(canonicalJson(canonicalPackage(relayPackage))),
    packageContext(id),
  );
}

export function openPackage(sealer: Sealer, id: Id<'rly'>, sealed: Uint8Array): RelayPackage {
  return parseRelayPackage(JSON.parse(new TextDecoder().decode(sealer.open(sealed, packageContext(id)))));
}
