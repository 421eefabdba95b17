import { isMajority } from './majority.js';

/** Which nullifiers are spent, as one provider says of a finalized slot. */
export interface NullifiersSeen {
  readonly node: string;
  readonly slot: number;
  readonly spent: readonly boolean[];
}

/**
 * The providers whose word about a nullifier a majority of the configured ones contradicts. What is spent stays spent: it
 * cannot be free at a later slot, nor was it spent at an earlier slot than one at which it is free. So nobody contradicts a
 * provider that lags.
 */
export function contradictedNullifiers(seen: readonly NullifiersSeen[], configured: number): string[] {
  const isContradicted = ({ slot, spent }: NullifiersSeen) =>
    spent.some((isSpent, at) => {
      const against = seen.filter(
        (other) => other.spent[at] !== isSpent && (isSpent ? other.slot >= slot : other.slot <= slot),
      );
      return isMajority(against.length, configured);
    });
  return seen.filter(isContradicted).map(({ node }) => node);
}

/** What one provider says of an account. */
export interface BalanceTold {
  readonly node: string;
  readonly slot: number;
  readonly lamports: number;
}

/** The providers that tell another balance than a majority of the configured ones tells as of the same slot. */
export function contradictedBalances(told: readonly BalanceTold[], configured: number): string[] {
  const isContradicted = ({ slot, lamports }: BalanceTold) => {
    const others = told.filter((other) => other.slot === slot && other.lamports !== lamports);
    return others.some(({ lamports: agreed }) =>
      isMajority(others.filter((other) => other.lamports === agreed).length, configured),
    );
  };
  return told.filter(isContradicted).map(({ node }) => node);
}
