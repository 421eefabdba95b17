import type { StoreName } from './key-uri.js';
import type { MasterKey } from './master-key.js';
import type { SigningKey } from './signing-key.js';

/** Keeps keys outside of this process, and wraps and signs with them. */
export interface KeyStore {
  /** A key that wraps. The store is not asked yet. */
  masterKey(locator: string): KeptMasterKey;
  /**
   * A key that signs. Where a store keeps several versions at the place, it is the one with the public key, or the newest
   * without it. Throws `UNAVAILABLE` where the store is away, `ConfigurationError` where a person must act.
   */
  signingKey(locator: string, publicKey?: Uint8Array): Promise<SigningKey>;
}

/** The stores that are configured. */
export type KeyStores = Readonly<Partial<Record<StoreName, KeyStore>>>;

export interface KeptMasterKey extends MasterKey {
  /** Throws a sentence where the store has no such key, or it is of another type. */
  require(): Promise<void>;
  /** Makes the key in the store, which never lets it out. A key of the name that is there is taken. */
  makeUnlessThere(): Promise<void>;
}
