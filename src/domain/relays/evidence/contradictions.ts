import { isMajority } from './majority.js';

/** Which nullifiers are spent at a finalized slot, according to one provider. */
export interface NullifiersSeen {
  readonly node: string;
  readonly slot: number;
  readonly spent: readonly boolean[];
}

/**
 * The providers whose answer about a nullifier is contradicted by a majority of the configured providers. A spent nullifier
 * stays spent: it cannot be free at a later slot, and if it is free at one slot, it was not spent at an earlier one. So a
 * provider that lags contradicts no other.
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

/** The balance of an account according to one provider. */
export interface ReportedBalance {
  readonly node: string;
  readonly slot: number;
  readonly lamports: number;
}

/** The providers whose balance differs from the one that a majority of the configured providers returns for the same slot. */
export function contradictedBalances(balances: readonly ReportedBalance[], configured: number): string[] {
  const isContradicted = ({ slot, lamports }: ReportedBalance) => {
    const others = balances.filter((other) => other.slot === slot && other.lamports !== lamports);
    return others.some(({ lamports: agreed }) =>
      isMajority(others.filter((other) => other.lamports === agreed).length, configured),
    );
  };
  return balances.filter(isContradicted).map(({ node }) => node);
}
