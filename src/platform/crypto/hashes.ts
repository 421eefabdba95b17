import { hash } from 'node:crypto';

/** SHA-256 (FIPS 180-4) of the parts one after the other: 32 bytes. Text is hashed as UTF-8. */
export function sha256(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const [first = '', ...rest] = parts;
  // In one call: a hash object costs more than copying short parts together.
  const whole = rest.length === 0 ? first : Buffer.concat(parts.map(bytesOf));
  // By way of text, which Node.js hands out in half the time of a buffer.
  return new Uint8Array(Buffer.from(hash('sha256', whole, 'binary'), 'latin1'));
}

const bytesOf = (part: Uint8Array | string) => (typeof part === 'string' ? Buffer.from(part) : part);
