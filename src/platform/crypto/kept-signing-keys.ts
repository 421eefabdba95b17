/** An Ed25519 key in a key store. */
export interface KeptSigningKey {
  /** The key and its store, such as `vault:transit/log`. It is not secret. */
  readonly uri: string;
  /** 32 bytes, RFC 8032. A store can hold several keys at one place, such as the versions of one. */
  readonly publicKey: Uint8Array;
}

/** Keys in stores that sign for organizations. */
export interface KeptSigningKeys {
  /** The place of each new key. Without it, keys are created by the gateway and sealed in the database. */
  readonly next: string | undefined;
  /** The current public key of a place. Throws `UNAVAILABLE` with the reason `signing_key_away`. */
  publicKeyAt(uri: string): Promise<Uint8Array>;
  /** Returns a 64-byte signature that was verified. Throws `UNAVAILABLE` with the reason `signing_key_away`. */
  sign(key: KeptSigningKey, message: Uint8Array): Promise<Uint8Array>;
}
