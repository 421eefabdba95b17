const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An integer below 2^53 in base 62, padded with zeros to `length` characters. */
export function integerInBase62(value: number, length: number): string {
  let text = '';
  for (let left = value; left > 0; left = Math.floor(left / 62)) text = DIGITS.charAt(left % 62) + text;
  if (text.length > length) throw new RangeError(`The number does not fit ${length} characters of base 62.`);
  return text.padStart(length, '0');
}

/** The bytes as one big-endian number in base 62, padded with zeros to `length` characters. */
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
