import { describe, expect, it } from '@jest/globals';
import { BoundedMap } from '../../../../src/platform/kernel/bounds/bounded-map.js';
import { fc } from '../../../kit/properties.js';

const MAX_WEIGHT = 100;
const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key, weight: fc.integer({ min: 0, max: 120 }) }),
  fc.record({
    kind: fc.constantFrom('get' as const, 'has' as const, 'delete' as const, 'clear' as const),
    key,
    weight: fc.constant(0),
  }),
);

interface Value {
  readonly at: number;
  readonly weight: number;
}

describe('a map with a maximum weight', () => {
  it('keeps the most recently used entries within the maximum, for any operations', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const map = new BoundedMap<string, Value>(MAX_WEIGHT, ({ weight }) => weight);
        // The model: entries from the least to the most recently used.
        let entries: { key: string; value: Value }[] = [];
        for (const [at, each] of steps.entries()) {
          const found = entries.find((entry) => entry.key === each.key);
          const others = entries.filter((entry) => entry !== found);
          if (each.kind === 'get') {
            expect(map.get(each.key)).toBe(found?.value);
            entries = found ? [...others, found] : others;
          } else if (each.kind === 'has') expect(map.has(each.key)).toBe(found !== undefined);
          else if (each.kind === 'delete') {
            expect(map.delete(each.key)).toBe(found !== undefined);
            entries = others;
          } else if (each.kind === 'clear') {
            map.clear();
            entries = [];
          } else {
            const value = { at, weight: each.weight };
            map.set(each.key, value);
            entries = each.weight > MAX_WEIGHT ? others : [...others, { key: each.key, value }];
            while (entries.reduce((sum, { value: { weight } }) => sum + weight, 0) > MAX_WEIGHT)
              entries.shift();
          }
          expect([...map]).toEqual(entries.map((entry) => [entry.key, entry.value]));
        }
      }),
    );
  });

  it('keeps an entry that was read longer than one that was not', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect([...map.keys()]).toEqual(['a', 'c']);
  });

  it('counts its entries if it is not told their weight', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ]);
  });
});
