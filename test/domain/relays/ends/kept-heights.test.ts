import { describe, expect, it } from '@jest/globals';
import { earlierHeights, keptHeights } from '../../../../src/domain/relays/evidence/kept-heights.js';

/** The height that a provider returned; absent if it was silent. */
const statement = (node: string, slot?: number, agoMs = 0) => ({
  testimony: { node, ...(slot !== undefined && { height: { slot, blockHeight: slot - 10 } }) },
  agoMs,
});

describe('the heights that a look keeps for the next one', () => {
  const first = { slot: 70, blockHeight: 61 };
  const earlier = [
    { node: 'a', slot: 90, blockHeight: 80, agoMs: 2_000, first },
    { node: 'b', slot: 91, blockHeight: 81, agoMs: 2_000, first },
    { node: 'c', slot: 92, blockHeight: 82, agoMs: 3_000, first },
  ];

  it('are the believed ones, or else the last ones that were believed earlier', () => {
    const liars = [{ node: 'b', lie: 'impossible_height' as const }];
    expect(
      keptHeights(
        [statement('a', 100), statement('b', 900), statement('c'), statement('d')],
        { liars },
        earlier,
        9_000,
        [{ contextSlot: 70 }],
      ),
    ).toEqual([
      { node: 'a', slot: 100, blockHeight: 90, sinceSignedMs: 9_000, first },
      { node: 'b', slot: 91, blockHeight: 81, sinceSignedMs: 7_000, first },
      { node: 'c', slot: 92, blockHeight: 82, sinceSignedMs: 6_000, first },
    ]);
  });

  it('include the first one that knew the blockhashes, unless the last one contradicts it', () => {
    const firstOf = (before: { readonly slot: number; readonly blockHeight: number }[]) => {
      const known = before.map((one) => ({ node: 'a', slot: 95, blockHeight: 85, agoMs: 2_000, first: one }));
      return keptHeights([statement('a', 100)], { liars: [] }, known, 9_000, attempts)[0]!['first'];
    };
    const attempts = [{ contextSlot: 60 }, { contextSlot: 70 }];
    const last = { slot: 100, blockHeight: 90 };
    expect(firstOf([])).toEqual(last);
    expect(firstOf([first])).toEqual(first);
    // Slots instead of heights.
    expect(firstOf([{ slot: 70, blockHeight: 70 + 150 }])).toEqual(last);
    // From before the blockhash of the second attempt.
    expect(firstOf([{ slot: 69, blockHeight: 61 }])).toEqual(last);
  });

  it('age by the time that passes until the next look', () => {
    const heights = keptHeights([statement('a', 100)], { liars: [] }, [], 9_000, []);
    expect(earlierHeights({ heights }, 10_500)).toEqual([
      { node: 'a', slot: 100, blockHeight: 90, agoMs: 1_500, first: { slot: 100, blockHeight: 90 } },
    ]);
  });

  it('have the time at which the provider was asked, and replace none that was asked for later', () => {
    const late = (agoMs: number) =>
      keptHeights([statement('a', 100, agoMs)], { liars: [] }, earlier, 9_000, [{ contextSlot: 70 }]);
    expect(late(1_500)).toEqual([{ node: 'a', slot: 100, blockHeight: 90, sinceSignedMs: 7_500, first }]);
    expect(late(2_500)).toEqual([{ node: 'a', slot: 90, blockHeight: 80, sinceSignedMs: 7_000, first }]);
  });

  it('do not count if the attempt was signed after them, or the clock was set back', () => {
    const heights = keptHeights([statement('a', 100)], { liars: [] }, [], 9_000, []);
    expect(earlierHeights({ heights }, 8_999)).toEqual([]);
    expect(earlierHeights(null, 9_000)).toEqual([]);
    expect(earlierHeights({ cause: 'simulation_transient' }, 9_000)).toEqual([]);
  });
});
