import { describe, expect, it } from '@jest/globals';
import {
  contradictedBalances,
  contradictedNullifiers,
} from '../../../src/domain/relays/evidence/contradictions.js';

const seen = (node: string, slot: number, ...spent: boolean[]) => ({ node, slot, spent });

describe('a majority contradicts what one says of nullifiers', () => {
  it('where it is spent for one, and free for them as of that slot or later', () => {
    const says = (slot: number) =>
      contradictedNullifiers(
        [seen('a', 9, false, false), seen('b', slot, false, true), seen('c', 10, false, false)],
        3,
      );
    expect(says(9)).toEqual(['b']);
    expect(says(10)).toEqual([]);
  });

  it('where it is free for one, and was spent for them as of that slot or earlier', () => {
    const says = (slot: number) =>
      contradictedNullifiers([seen('a', 9, true), seen('b', slot, false), seen('c', 10, true)], 3);
    expect(says(10)).toEqual(['b']);
    // It lags, and may be right.
    expect(says(9)).toEqual([]);
  });

  it('of the configured ones: not one of two, and not one of three that answer among five', () => {
    expect(contradictedNullifiers([seen('a', 9, true), seen('b', 9, false)], 2)).toEqual([]);
    const three = [seen('a', 9, true), seen('b', 9, false), seen('c', 9, true)];
    expect(contradictedNullifiers(three, 5)).toEqual([]);
    expect(contradictedNullifiers([...three, seen('d', 9, true)], 5)).toEqual(['b']);
  });
});

describe('a majority contradicts what one says of a balance', () => {
  const told = (node: string, slot: number, lamports: number) => ({ node, slot, lamports });

  it('where they say another one as of the same slot', () => {
    const says = (slot: number, configured = 3) =>
      contradictedBalances([told('a', 9, 70), told('b', slot, 0), told('c', 9, 70)], configured);
    expect(says(9)).toEqual(['b']);
    // The account may have changed between the slots.
    expect(says(8)).toEqual([]);
    expect(says(10)).toEqual([]);
    expect(says(9, 5)).toEqual([]);
  });

  it('and not where no two agree', () => {
    expect(contradictedBalances([told('a', 9, 1), told('b', 9, 2), told('c', 9, 3)], 3)).toEqual([]);
  });
});
