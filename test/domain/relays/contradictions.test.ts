import { describe, expect, it } from '@jest/globals';
import { contradictedNullifiers } from '../../../src/domain/relays/evidence/contradictions.js';

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
