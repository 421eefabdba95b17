import { base58 as scureBase58 } from '@scure/base';
import { attempt } from './attempt.js';

export const base58 = {
  encode: (bytes: Uint8Array): string => scureBase58.encode(bytes),
  /** The bytes, or `undefined` if the text is not base58 or not `length` bytes. */
  decode(text: string, length: number): Uint8Array | undefined {
    // 32 bytes have at most 44 characters, 64 at most 88. Longer text is refused before it is decoded.
    if (text.length > Math.ceil(length * 1.4)) return undefined;
    const bytes = attempt(() => scureBase58.decode(text));
    return bytes?.length === length ? bytes : undefined;
  },
};
