import { describe, expect, it } from '@jest/globals';
import {
  contradictedBalances,
  contradictedNullifiers,
} from '../../../src/domain/relays/evidence/contradictions.js';

const seen = (node: string, slot: number, ...spent: boolean[]) => ({ node, slot, spent });

describe('a majority contradicts a provider about a nullifier', () => {
  it('that the provider shows as spent and the majority as free, at the same slot or later', () => {
    const says = (slot: number) =>
      contradictedNullifiers(
        [seen('a', 9, false, false), seen('b', slot, false, true), seen('c', 10, false, false)],
        3,
      );
    expect(says(9)).toEqual(['b']);
    expect(says(10)).toEqual([]);
  });

  it('that the provider shows as free and the majority as spent, at the same slot or earlier', () => {
    const says = (slot: number) =>
      contradictedNullifiers([seen('a', 9, true), seen('b', slot, false), seen('c', 10, true)], 3);
    expect(says(10)).toEqual(['b']);
    // The provider lags, and may be right.
    expect(says(9)).toEqual([]);
  });

  it('only if it is a majority of the configured providers: not with two, nor with three answers of five', () => {
    expect(contradictedNullifiers([seen('a', 9, true), seen('b', 9, false)], 2)).toEqual([]);
    const three = [seen('a', 9, true), seen('b', 9, false), seen('c', 9, true)];
    expect(contradictedNullifiers(three, 5)).toEqual([]);
    expect(contradictedNullifiers([...three, seen('d', 9, true)], 5)).toEqual(['b']);
  });
});

describe('a majority contradicts a provider about a balance', () => {
  const told = (node: string, slot: number, lamports: number) => ({ node, slot, lamports });

  it('if they show another one for the same slot', () => {
    const says = (slot: number, configured = 3) =>
      contradictedBalances([told('a', 9, 70), told('b', slot, 0), told('c', 9, 70)], configured);
    expect(says(9)).toEqual(['b']);
    // The account may have changed between the slots.
    expect(says(8)).toEqual([]);
    expect(says(10)).toEqual([]);
    expect(says(9, 5)).toEqual([]);
  });

  it('but not if no two agree', () => {
    expect(contradictedBalances([told('a', 9, 1), told('b', 9, 2), told('c', 9, 3)], 3)).toEqual([]);
  });
});
