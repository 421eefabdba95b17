import type { KeptSigningKeys } from '../platform/crypto/index.js';
import {
  createKeptSigningKeys,
  createKeyStores,
  type KeyStoreConfiguration,
  type KeyStores,
} from '../platform/keys/index.js';
import type { Configuration } from './configuration/index.js';

const opened = new WeakMap<KeyStoreConfiguration, KeyStores>();

/** The stores of a configuration. The whole process shares them, because each token has a separate process, which takes memory. */
export function keyStoresOf({ keyStores }: Pick<Configuration, 'keyStores'>): KeyStores {
  const stores = opened.get(keyStores) ?? createKeyStores(keyStores);
  opened.set(keyStores, stores);
  return stores;
}

/** The keys of stores that sign for organizations. */
export const signingKeysOf = (configuration: Configuration): KeptSigningKeys =>
  createKeptSigningKeys(keyStoresOf(configuration), configuration.signingKey);
