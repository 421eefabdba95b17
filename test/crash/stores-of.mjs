// The stores of a victim, from their JSON configuration: see dying.ts.
import { localGcpClient } from '../platform/keys/stores/local-gcp-client.ts';

/** `keys` is the compiled folder. */
export const storesOf = (keys, { vault, gcp, ...others } = {}) =>
  keys.createKeyStores({
    ...others,
    ...(vault && { vault: { ...vault, address: new URL(vault.address) } }),
    ...(gcp && { gcp: { client: localGcpClient(gcp.port) } }),
  });
