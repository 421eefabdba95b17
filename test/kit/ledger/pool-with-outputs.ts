import { readFileSync } from 'node:fs';

/**
 * The pool program that also creates an account for each commitment. These accounts prove that exactly this package was
 * executed.
 */
export function poolWithOutputsProgram(): Uint8Array {
  const file = new URL('../../../devnet/pool/program/pool-with-outputs.so', import.meta.url);
  return new Uint8Array(readFileSync(file));
}

/** The account of each commitment, as an entry of the pools file after the nullifiers' accounts. */
export const OUTPUT_ACCOUNTS = {
  pda: [{ utf8: 'commitment' }, { signal: 'each' }],
  writable: true,
  forEach: 'commitments',
} as const;
