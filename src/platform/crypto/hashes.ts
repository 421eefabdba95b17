import { hash } from 'node:crypto';

/** SHA-256 (FIPS 180-4) of the concatenated parts: 32 bytes. Text is hashed as UTF-8. */
export function sha256(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const [first = '', ...rest] = parts;
  // One call: a hash object costs more than concatenating short parts.
  const whole = rest.length === 0 ? first : Buffer.concat(parts.map(bytesOf));
  // Through text with one character per byte: Node.js returns it in a third of the time of a buffer.
  const text = hash('sha256', whole, 'binary');
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

const bytesOf = (part: Uint8Array | string) => (typeof part === 'string' ? Buffer.from(part) : part);
