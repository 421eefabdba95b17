import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import { createQuota } from '../../../../src/platform/kernel/bounds/quota.js';

describe('a quota', () => {
  it('never lets an owner hold more than the maximum, refuses nothing below it, and takes back what is given', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.tuple(fc.constantFrom('one', 'other'), fc.integer({ min: 1, max: 8 }), fc.boolean())),
        (limit, steps) => {
          const quota = createQuota(limit);
          const held: Record<string, number[]> = { one: [], other: [] };
          for (const [owner, amount, isGiving] of steps) {
            const returned = isGiving ? held[owner]!.pop() : undefined;
            if (returned !== undefined) quota.give(owner, returned);
            if (isGiving) continue;
            const sum = held[owner]!.reduce((total, one) => total + one, 0);
            expect(quota.take(owner, amount)).toBe(sum + amount <= limit);
            if (sum + amount <= limit) held[owner]!.push(amount);
          }
        },
      ),
    ));
});
