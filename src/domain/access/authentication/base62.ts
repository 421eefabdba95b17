const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The bytes as one big-endian number in base 62, filled up with zeros to `length` characters. */
export function encodeBase62(bytes: Uint8Array, length: number): string {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = '';
  while (value > 0n) {
    text = DIGITS.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  if (text.length > length) throw new RangeError(`The number does not fit ${length} characters of base 62.`);
  return text.padStart(length, '0');
}
