/** An Ed25519 key that signs. Where it is kept is its provider's. */
export interface SigningKey {
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
  /** A 64-byte signature. Throws `UNAVAILABLE` where the provider is away. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}
