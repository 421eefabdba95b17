import { describe, expect, it } from '@jest/globals';
import {
  contradictedBalances,
  contradictedNullifiers,
} from '../../../../src/domain/relays/evidence/contradictions.js';

const seen = (node: string, slot: number, ...spent: boolean[]) => ({ node, slot, spent });

describe('the answer of a provider about a nullifier', () => {
  it('is contradicted if it is “spent” and a majority shows the nullifier as free, at the same slot or later', () => {
    const says = (slot: number) =>
      contradictedNullifiers(
        [seen('a', 9, false, false), seen('b', slot, false, true), seen('c', 10, false, false)],
        3,
      );
    expect(says(9)).toEqual(['b']);
    expect(says(10)).toEqual([]);
  });

  it('is contradicted if it is “free” and a majority shows the nullifier as spent, at the same slot or earlier', () => {
    const says = (slot: number) =>
      contradictedNullifiers([seen('a', 9, true), seen('b', slot, false), seen('c', 10, true)], 3);
    expect(says(10)).toEqual(['b']);
    // The provider lags, and may be right.
    expect(says(9)).toEqual([]);
  });

  it('is contradicted only by a majority of the configured providers: not with two, nor by three answers of five', () => {
    expect(contradictedNullifiers([seen('a', 9, true), seen('b', 9, false)], 2)).toEqual([]);
    const three = [seen('a', 9, true), seen('b', 9, false), seen('c', 9, true)];
    expect(contradictedNullifiers(three, 5)).toEqual([]);
    expect(contradictedNullifiers([...three, seen('d', 9, true)], 5)).toEqual(['b']);
  });
});

describe('the answer of a provider about a balance', () => {
  const statement = (node: string, slot: number, lamports: number) => ({ node, slot, lamports });

  it('is contradicted by a majority that shows another balance for the same slot', () => {
    const says = (slot: number, configured = 3) =>
      contradictedBalances(
        [statement('a', 9, 70), statement('b', slot, 0), statement('c', 9, 70)],
        configured,
      );
    expect(says(9)).toEqual(['b']);
    // The account may have changed between the slots.
    expect(says(8)).toEqual([]);
    expect(says(10)).toEqual([]);
    expect(says(9, 5)).toEqual([]);
  });

  it('is not contradicted if no two providers agree', () => {
    expect(
      contradictedBalances([statement('a', 9, 1), statement('b', 9, 2), statement('c', 9, 3)], 3),
    ).toEqual([]);
  });
});
