import { breakAfter, type ChainedKey } from '../../../src/domain/activity-log/verification/key-chain.js';

/** Why the keys of a log do not lead from the one that is remembered; `undefined` where they do. */
export function brokenSince(keys: readonly ChainedKey[], remembered: string): string | undefined {
  const broken = breakAfter(
    keys,
    keys.findIndex(({ verifierKey }) => verifierKey === remembered),
  );
  return broken === undefined
    ? undefined
    : `Entry ${broken} declares that the key that this browser remembers, or a later key, was lost. Anyone could have written that entry. Compare the current key with the one your organization publishes.`;
}
