export { base58 } from './base58.js';

export const base64 = {
  encode: (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64'),
  /** The bytes, or `undefined` if the text is not standard, padded, canonical base64. */
  decode(text: string): Uint8Array | undefined {
    const bytes = Buffer.from(text, 'base64');
    return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined;
  },
};

export const hex = {
  encode: (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex'),
};

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
