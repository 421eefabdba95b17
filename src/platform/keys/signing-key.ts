/** An Ed25519 key that signs. Its provider decides where it is stored. */
export interface SigningKey {
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
  /** Returns a 64-byte signature. Throws `UNAVAILABLE` if the provider is unavailable. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}
