import { describe, expect, it } from '@jest/globals';
import { gapsOf } from '../../../portal/src/screens/log/gaps.ts';
import { fc } from '../../kit/properties.js';

/** A log with this number of entries, newest first, one second apart. */
const logOf = (size: number) =>
  Array.from({ length: size }, (_, back) => ({
    index: size - 1 - back,
    createdAt: new Date((size - back) * 1_000).toISOString(),
  }));
const placesOf = (ranges: readonly (readonly [number, number])[]) =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, more) => from + more));
const NOTHING = { repeated: [], isOutOfOrder: false, missing: [], awaited: [] };
const size = fc.integer({ min: 1, max: 40 });

describe('missing entries on a page of the log', () => {
  it('are not reported if all entries are present, or the newest ones of several pages', () => {
    fc.assert(
      fc.property(size, size, (all, rows) => {
        const hasMore = rows < all;
        expect(gapsOf(logOf(all).slice(0, rows), { size: all, hasMore })).toEqual(NOTHING);
      }),
    );
  });

  it('are reported for the whole log below the newest entry; entries above it may be new', () => {
    fc.assert(
      fc.property(
        size.chain((all) => fc.tuple(fc.constant(all), fc.subarray(logOf(all)))),
        ([all, rows]) => {
          const left = logOf(all).filter(({ index }) => !rows.some((entry) => entry.index === index));
          const newest = rows[0]?.index ?? -1;
          const { missing, awaited } = gapsOf(rows, { size: all, hasMore: false });
          expect(placesOf(missing).sort((a, b) => b - a)).toEqual(
            left.map(({ index }) => index).filter((index) => index < newest),
          );
          expect(placesOf(awaited).sort((a, b) => b - a)).toEqual(
            left.map(({ index }) => index).filter((index) => index > newest),
          );
        },
      ),
    );
  });

  it('are never reported for a filtered log, or for entries of the next page', () => {
    fc.assert(
      fc.property(fc.subarray(logOf(30)), (rows) => {
        expect(gapsOf(rows)).toEqual(NOTHING);
        expect(gapsOf(rows, { size: 30, hasMore: true }).missing).toEqual([]);
      }),
    );
  });

  it('are not reported for entries that were not sequenced yet', () => {
    fc.assert(
      fc.property(size, fc.integer({ min: 0, max: 5 }), (all, waiting) => {
        const rows = logOf(all).map((entry, at) => (at < waiting ? { ...entry, index: null } : entry));
        expect(gapsOf(rows, { size: all, hasMore: false })).toEqual(NOTHING);
      }),
    );
  });

  it('are not hidden by a repeated or replaced entry', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.nat(), fc.nat(), (all, one, other) => {
        const entries = logOf(all);
        const [from, to] = [one % all, other % all];
        fc.pre(from !== to);
        const swapped = [...entries];
        [swapped[from], swapped[to]] = [entries[to]!, entries[from]!];
        expect(gapsOf(swapped, { size: all, hasMore: false }).isOutOfOrder).toBe(true);
        const doubled = [...entries];
        doubled[to] = entries[from]!;
        const gaps = gapsOf(doubled, { size: all, hasMore: false });
        expect(placesOf(gaps.repeated)).toEqual([entries[from]!.index]);
        expect(placesOf([...gaps.missing, ...gaps.awaited])).toEqual([entries[to]!.index]);
      }),
    );
  });
});
