import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { newestOf } from '../../../portal/src/graphql/merged-pages.ts';
import type { ReadPages } from '../../../portal/src/graphql/pages.ts';

interface Row {
  readonly id: string;
}

/** A list that is read page by page. */
function listOf(rows: readonly Row[], pageSize: number) {
  let read = Math.min(pageSize, rows.length);
  return (): ReadPages<Row> => ({
    nodes: rows.slice(0, read),
    total: rows.length,
    isPending: false,
    isPrevious: false,
    error: undefined,
    hasMore: read < rows.length,
    isReadingMore: false,
    moreError: undefined,
    readMore: () => {
      read = Math.min(read + pageSize, rows.length);
    },
    readAgain: () => undefined,
  });
}

describe('two lists as one', () => {
  it('show every row once, newest first, and add rows only below those that are shown', () => {
    const rows = fc.uniqueArray(fc.record({ time: fc.nat(999), isFirst: fc.boolean() }), {
      selector: ({ time }) => time,
      maxLength: 40,
    });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 7 }), (made, size) => {
        const newest = made
          .toSorted((a, b) => b.time - a.time)
          .map(({ time, isFirst }) => ({ id: `crq_${String(time).padStart(3, '0')}`, isFirst }));
        const first = listOf(
          newest.filter(({ isFirst }) => isFirst),
          size,
        );
        const second = listOf(
          newest.filter(({ isFirst }) => !isFirst),
          size,
        );
        const merged = () => newestOf(first(), second());
        const idsOf = ({ nodes }: ReadPages<Row>) => nodes.map(({ id }) => id);
        let shown = idsOf(merged());
        while (merged().hasMore) {
          merged().readMore();
          const now = idsOf(merged());
          expect(now.length).toBeGreaterThan(shown.length);
          expect(now.slice(0, shown.length)).toEqual(shown);
          shown = now;
        }
        expect(shown).toEqual(newest.map(({ id }) => id));
        expect(merged().total).toBe(newest.length);
      }),
    );
  });
});
