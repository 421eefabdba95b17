import type { Sealer } from '../crypto/index.js';
import type { Id } from '../kernel/ids.js';
import { canonicalJson } from '../kernel/json.js';
import { canonicalPackage, parseRelayPackage, type RelayPackage } from './relay-package.js';
import { packageContext } from './relay.js';

/** A package as the request's row keeps it. */
export function sealPackage(sealer: Sealer, id: Id<'rly'>, given: RelayPackage): Uint8Array {
  return sealer.seal(new TextEncoder().encode(canonicalJson(canonicalPackage(given))), packageContext(id));
}

export function openPackage(sealer: Sealer, id: Id<'rly'>, sealed: Uint8Array): RelayPackage {
  return parseRelayPackage(JSON.parse(new TextDecoder().decode(sealer.open(sealed, packageContext(id)))));
}
