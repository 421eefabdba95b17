/** An Ed25519 key that a store keeps. */
export interface KeptSigningKey {
  /** Which key of which store, such as `vault:transit/log`. It is no secret. */
  readonly uri: string;
  /** 32 bytes, RFC 8032. A store can hold several keys at one place, such as the versions of one. */
  readonly publicKey: Uint8Array;
}

/** The keys of stores that sign for organizations. */
export interface KeptSigningKeys {
  /** The place of each new key. Without it, keys are created here, and sealed in the database. */
  readonly next: string | undefined;
  /** The public key that is at a place now. Throws `UNAVAILABLE` with the reason `signing_key_away`. */
  publicKeyAt(uri: string): Promise<Uint8Array>;
  /** A 64-byte signature that verifies. Throws `UNAVAILABLE` with the reason `signing_key_away`. */
  sign(key: KeptSigningKey, message: Uint8Array): Promise<Uint8Array>;
}
