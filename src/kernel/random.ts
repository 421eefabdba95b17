import { randomBytes } from 'node:crypto';

/** Randomness is passed in where a test must repeat it. */
export type Random = (length: number) => Uint8Array;

export const systemRandom: Random = (length) => new Uint8Array(randomBytes(length));
