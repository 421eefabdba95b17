import type { DataKey } from '../crypto/index.js';
import type { KeyUri, StoreName } from './key-uri.js';

export type Provider = 'file' | StoreName;

/** A key that wraps data keys. Where it is kept, and how it is reached, is its provider's. */
export interface MasterKey {
  readonly provider: Provider;
  /** Which of the provider's keys it is: a fingerprint, or what follows the provider's name in a key URI. It is no secret. */
  readonly locator: string;
  /** The wrapped form. `context` is authenticated. Throws `UNAVAILABLE` where the provider is away. */
  wrap(secret: Uint8Array, context: string): Promise<Uint8Array>;
  /** Throws {@link WrongMasterKey} where it is not the key or not the context, `UNAVAILABLE` where it is away. */
  unwrap(wrapped: Uint8Array, context: string): Promise<Uint8Array>;
  /** Of a key in use that unwraps but is too weak, a sentence that says what to do. Only stores with weak keys have it. */
  weakness?(): Promise<string | undefined>;
}

/** A master key whose bytes are at hand, as all were when they sealed values themselves. */
export interface FileMasterKey extends MasterKey {
  readonly firstDataKey: DataKey;
}

/** The master keys that this process can reach. */
export interface MasterKeys {
  /** The key that a database names. Throws {@link WrongMasterKey} where it is not at hand. */
  find(provider: Provider, locator: string): Promise<MasterKey>;
  /** The key for a database that has none yet. */
  first(): Promise<MasterKey>;
  /** The keys that can have sealed values without data keys. */
  ofFiles(): Promise<readonly FileMasterKey[]>;
  /**
   * A key that is none of `known`, made where there is none: the one that `to` names, and of the configured file otherwise.
   */
  next(known: ReadonlySet<string>, to: KeyUri | undefined): Promise<MasterKey>;
}

/** Another master key sealed the secrets of this database. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey';
}

/** A data key that another key wrapped. `key` names the one that was asked. */
export const notWrappedBy = (key: string, options?: ErrorOptions): WrongMasterKey =>
  new WrongMasterKey(
    `A data key is not wrapped by ${key}. If another key has this name now, restore the right one. ` +
      'Otherwise restore the table data_keys from a backup.',
    options,
  );
