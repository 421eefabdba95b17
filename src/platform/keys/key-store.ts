import type { StoreName } from './key-uri.js';
import type { MasterKey } from './master-key.js';
import type { SigningKey } from './signing-key.js';

/** Stores keys outside of this process, and wraps and signs with them. */
export interface KeyStore {
  /** A key that wraps. Does not contact the store. */
  masterKey(locator: string): KeptMasterKey;
  /**
   * A key that signs. If the store has several versions of it, returns the version with this public key, or without `publicKey`
   * the newest. Throws `UNAVAILABLE` if the store is unavailable, `ConfigurationError` if a person must act.
   */
  signingKey(locator: string, publicKey?: Uint8Array): Promise<SigningKey>;
}

/** The configured stores. */
export type KeyStores = Readonly<Partial<Record<StoreName, KeyStore>>>;

export interface KeptMasterKey extends MasterKey {
  /** Throws an explanation if the store does not have the key, or it has another type. */
  require(): Promise<void>;
  /** Creates the key in the store, which never exports it. Uses an existing key of the same name. */
  makeUnlessThere(): Promise<void>;
}
