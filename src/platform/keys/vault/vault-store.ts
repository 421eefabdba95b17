import type { KeyStore } from '../key-store.js';
import type { VaultClient } from './vault-client.js';
import { vaultMasterKey } from './vault-master-key.js';
import { vaultSigningKey } from './vault-signer.js';
import { parseTransitKey } from './vault-uri.js';

export const vaultStore = (client: VaultClient): KeyStore => ({
  masterKey: (locator) => vaultMasterKey(client, parseTransitKey(locator)),
  signingKey: (locator, publicKey) => vaultSigningKey(client, parseTransitKey(locator), publicKey),
});
