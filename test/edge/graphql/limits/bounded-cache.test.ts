import { describe, expect, it } from '@jest/globals';
import { createBoundedCache } from '../../../../src/edge/graphql/limits/bounded-cache.js';
import { fc } from '../../../kit/properties.js';

const MAX_BYTES = 100;
const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key, bytes: fc.integer({ min: 0, max: 120 }) }),
  fc.record({ kind: fc.constantFrom('get' as const, 'delete' as const), key, bytes: fc.constant(0) }),
);

describe('a cache with a limit in bytes', () => {
  it('keeps the most recently used entries within the limit, for any operations', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const cache = createBoundedCache<number>(MAX_BYTES);
        // The model: entries from the least to the most recently used.
        let entries: { key: string; value: number; bytes: number }[] = [];
        for (const [value, each] of steps.entries()) {
          const found = entries.find((entry) => entry.key === each.key);
          const others = entries.filter((entry) => entry !== found);
          if (each.kind === 'get') {
            expect(cache.get(each.key)).toBe(found?.value);
            entries = found ? [...others, found] : others;
          } else if (each.kind === 'delete') {
            expect(cache.delete(each.key)).toBe(found !== undefined);
            entries = others;
          } else {
            cache.set(each.key, value, each.bytes);
            entries =
              each.bytes > MAX_BYTES ? others : [...others, { key: each.key, value, bytes: each.bytes }];
            while (entries.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_BYTES) entries.shift();
          }
          const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
          expect(cache.bytes).toBe(bytes);
          expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
        }
        for (const entry of entries) expect(cache.get(entry.key)).toBe(entry.value);
      }),
    );
  });
});
