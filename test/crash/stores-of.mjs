// The stores of what a victim is told of them in JSON, as dying.ts says.
import { localGcpClient } from '../platform/keys/local-gcp-client.ts';

/** `keys` is the compiled room. */
export const storesOf = (keys, { vault, gcp, ...others } = {}) =>
  keys.createKeyStores({
    ...others,
    ...(vault && { vault: { ...vault, address: new URL(vault.address) } }),
    ...(gcp && { gcp: { client: localGcpClient(gcp.port) } }),
  });
