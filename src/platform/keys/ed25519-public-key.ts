const PUBLIC_KEY_LENGTH = 32;
/** The beginning of the SubjectPublicKeyInfo of an Ed25519 key, before its 32 bytes (RFC 8410 section 4). */
const HEADER = Buffer.from('302a300506032b6570032100', 'hex');

/** The key in a SubjectPublicKeyInfo in DER; `undefined` if it has another type. */
export function ed25519PublicKey(der: Uint8Array): Uint8Array | undefined {
  const isOne =
    der.length === HEADER.length + PUBLIC_KEY_LENGTH &&
    Buffer.compare(der.subarray(0, HEADER.length), HEADER) === 0;
  return isOne ? Uint8Array.from(der.subarray(HEADER.length)) : undefined;
}
