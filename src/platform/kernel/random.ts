import { randomBytes } from 'node:crypto';

/** Randomness is passed in, so that tests can repeat it. */
export type Random = (length: number) => Uint8Array;

export const systemRandom: Random = (length) => new Uint8Array(randomBytes(length));
