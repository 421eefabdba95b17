import { combineCiphertexts, parseCiphertext, type Ciphertext } from './elgamal.js';

/**
 * An amount encrypted in two parts, lo + hi·2^loBits. Each part is a 64-byte ElGamal ciphertext of a value below 2^loBits or
 * 2^hiBits. Token-2022 splits the amounts of confidential transfers, mints, burns and fees into 16 and 32 bits.
 */
export interface SplitCiphertext {
  readonly lo: Uint8Array;
  readonly hi: Uint8Array;
  /** 1 to 32. */
  readonly loBits: number;
  /** 1 to 32. */
  readonly hiBits: number;
}

/** The split that Token-2022 uses for transfers, mints, burns and fees. */
export const TOKEN_2022_SPLIT = { loBits: 16, hiBits: 32 } as const;

export interface ParsedSplitCiphertext {
  readonly lo: Ciphertext;
  readonly hi: Ciphertext;
}

/** Throws a `RangeError` for a bit width outside 1 to 32. */
export function checkSplit({ loBits, hiBits }: SplitCiphertext): void {
  for (const bits of [loBits, hiBits]) {
    if (!Number.isInteger(bits) || bits < 1 || bits > 32) throw new RangeError('A part has 1 to 32 bits.');
  }
}

/** Parses both parts. Returns `undefined` if one is malformed. Throws a `RangeError` for a bit width outside 1 to 32. */
export function parseSplitCiphertext(ciphertext: SplitCiphertext): ParsedSplitCiphertext | undefined {
  checkSplit(ciphertext);
  const lo = parseCiphertext(ciphertext.lo);
  const hi = lo && parseCiphertext(ciphertext.hi);
  return lo && hi && { lo, hi };
}

/** The ciphertext of the whole amount, or `undefined` if a part is malformed. */
export function combineSplitCiphertext(ciphertext: SplitCiphertext): Ciphertext | undefined {
  const parts = parseSplitCiphertext(ciphertext);
  return parts && combineCiphertexts(parts.lo, parts.hi, ciphertext.loBits);
}

/** One more than the largest amount that the split can represent. */
export function splitAmountBound({ loBits, hiBits }: SplitCiphertext): bigint {
  return 1n << BigInt(loBits + hiBits);
}
