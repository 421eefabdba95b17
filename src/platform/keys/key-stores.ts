import { type AwsConfiguration, createAwsKmsClient } from './aws/aws-kms-client.js';
import { awsStore } from './aws/aws-store.js';
import { createGcpKmsClient, type GcpConfiguration } from './gcp/gcp-kms-client.js';
import { gcpStore } from './gcp/gcp-store.js';
import type { KeyStores } from './key-store.js';
import { formatKeyUri, type KeyUri, storeIsMissing } from './key-uri.js';
import { pkcs11Store } from './pkcs11/pkcs11-store.js';
import { createTokens, type Pkcs11Configuration } from './pkcs11/tokens.js';
import type { SigningKey } from './signing-key.js';
import { createVaultClient, type VaultConfiguration } from './vault/vault-client.js';
import { vaultStore } from './vault/vault-store.js';
import { verifiedKey } from './signing/verified-key.js';

export interface KeyStoreConfiguration {
  /** Access to PKCS #11 tokens. */
  readonly pkcs11?: Pkcs11Configuration | undefined;
  readonly vault?: VaultConfiguration | undefined;
  /** AWS KMS needs no configuration: its SDK uses the standard AWS settings. */
  readonly aws?: AwsConfiguration | undefined;
  /** Cloud KMS needs no configuration: its SDK finds the credentials of the environment. */
  readonly gcp?: GcpConfiguration | undefined;
}

/** The configured stores. Does not contact any of them. */
export function createKeyStores({ pkcs11, vault, aws, gcp }: KeyStoreConfiguration): KeyStores {
  return {
    ...(pkcs11 && { pkcs11: pkcs11Store(createTokens(pkcs11)) }),
    ...(vault && { vault: vaultStore(createVaultClient(vault)) }),
    'aws-kms': awsStore(createAwsKmsClient(aws)),
    'gcp-kms': gcpStore(createGcpKmsClient(gcp)),
  };
}

/**
 * The key of a store, which makes the signatures itself. Each signature is verified before it is used.
 *
 * @throws `UNAVAILABLE` if the store is unavailable, `ConfigurationError` if a person must act.
 */
export async function openSigningKey(
  stores: KeyStores,
  uri: KeyUri,
  publicKey?: Uint8Array,
): Promise<SigningKey> {
  const store = stores[uri.store];
  if (!store) throw storeIsMissing(`The key ${formatKeyUri(uri)}`, uri.store);
  const key = await store.signingKey(uri.locator, publicKey);
  return verifiedKey(key, formatKeyUri(uri));
}
