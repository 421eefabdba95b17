/** The Castagnoli polynomial, reflected (RFC 3720 section 12.1). */
const POLYNOMIAL = 0x82f6_3b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

/** CRC-32C. Cloud KMS checks requests with it, and its answers can be checked with it. */
export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffff_ffff;
  for (const byte of bytes) rest = (rest >>> 8) ^ TABLE[(rest ^ byte) & 0xff]!;
  return ~rest >>> 0;
}
