import type { SealedColumn, Sealer } from '../../../platform/crypto/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { parseRelayPackage, type RelayPackage } from './relay-package.js';
import { packageContext } from '../relay.js';

export const SEALED_PACKAGES: SealedColumn = {
  ...{ table: 'relay_requests', column: 'sealed_package', purpose: 'relay_requests', rows: 200 },
  key: ['id'],
  context: ([id]) => packageContext(id as Id<'rly'>),
};

/** The encrypted canonical form of a package, as stored in the row of the request. */
export const sealPackage = (sealer: Sealer, id: Id<'rly'>, canonical: Uint8Array): Uint8Array =>
  sealer.seal(canonical, packageContext(id));

export function openPackage(sealer: Sealer, id: Id<'rly'>, sealed: Uint8Array): RelayPackage {
  return parseRelayPackage(JSON.parse(new TextDecoder().decode(sealer.open(sealed, packageContext(id)))));
}
