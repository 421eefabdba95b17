import { base58 as scureBase58 } from '@scure/base';

export const base58 = {
  encode: (bytes: Uint8Array): string => scureBase58.encode(bytes),
  /** The bytes, or `undefined` if the text is not base58 or not `length` bytes. */
  decode(text: string, length: number): Uint8Array | undefined {
    // 32 bytes have at most 44 characters, 64 at most 88. Longer text is refused before it is decoded.
    if (text.length > Math.ceil(length * 1.4)) return undefined;
    try {
      const bytes = scureBase58.decode(text);
      return bytes.length === length ? bytes : undefined;
    } catch {
      return undefined;
    }
  },
};

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
