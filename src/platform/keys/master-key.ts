import type { DataKey } from '../crypto/index.js';
import type { KeyUri, StoreName } from './key-uri.js';

export type Provider = 'file' | StoreName;

/** A key that wraps data keys. Its provider decides where it is stored and how it is accessed. */
export interface MasterKey {
  readonly provider: Provider;
  /**
   * Which of the provider's keys it is: a fingerprint, or the part after the provider's name in a key URI. It is not secret.
   */
  readonly locator: string;
  /** Returns the wrapped form. `context` is authenticated. Throws `UNAVAILABLE` if the provider is unavailable. */
  wrap(secret: Uint8Array, context: string): Promise<Uint8Array>;
  /** Throws {@link WrongMasterKey} for another key or context, `UNAVAILABLE` if the provider is unavailable. */
  unwrap(wrapped: Uint8Array, context: string): Promise<Uint8Array>;
  /** If a key in use is too weak, a sentence that explains what to do. Only stores that can have weak keys implement it. */
  weakness?(): Promise<string | undefined>;
}

/** A master key whose bytes are in memory. Before data keys existed, such keys sealed values themselves. */
export interface FileMasterKey extends MasterKey {
  readonly firstDataKey: DataKey;
}

/** The master keys that this process can use. */
export interface MasterKeys {
  /** The key that a database names. Throws {@link WrongMasterKey} if it is not available. */
  find(provider: Provider, locator: string): Promise<MasterKey>;
  /** The key for a database that has none yet. */
  first(): Promise<MasterKey>;
  /** The keys that can have sealed values before data keys existed. */
  ofFiles(): Promise<readonly FileMasterKey[]>;
  /** A key that is not in `known`, created if there is none: the key that `to` names, otherwise one of the configured file. */
  next(known: ReadonlySet<string>, to: KeyUri | undefined): Promise<MasterKey>;
}

/** The secrets of this database were sealed with another master key. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey';
}

/** The error for a data key that another key wrapped. `key` names the key that was used. */
export const notWrappedBy = (key: string, options?: ErrorOptions): WrongMasterKey =>
  new WrongMasterKey(
    `A data key is not wrapped by ${key}. If another key has this name now, restore the right one. ` +
      'Otherwise restore the table data_keys from a backup.',
    options,
  );
