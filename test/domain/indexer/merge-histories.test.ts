import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import type { HistoryEntry } from '../../../src/domain/indexer/following/address-history.js';
import { MergedHistory, type MergedEntry } from '../../../src/domain/indexer/following/merge-histories.js';
import { addressOf, signatureOf } from './scripted-ledger.js';

const entry = (slot: number, name: string): HistoryEntry => ({
  signature: signatureOf(name),
  slot,
  failed: false,
  blockTime: null,
  fresh: true,
});

/** Returns entries one by one, like a history. */
async function* read(entries: readonly HistoryEntry[]): AsyncGenerator<HistoryEntry, void> {
  for (const one of entries) yield await Promise.resolve(one);
}

async function drain(history: MergedHistory, limit: number): Promise<MergedEntry[]> {
  const all: MergedEntry[] = [];
  for (;;) {
    const taken = await history.take(limit);
    if (taken.length === 0) return all;
    all.push(...taken);
  }
}

describe('merged histories', () => {
  it('are ordered by slot and complete, for any batch size', async () => {
    const histories = fc.array(fc.array(fc.nat(30), { maxLength: 20 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 7 }), async (slots, limit) => {
        const merged = new MergedHistory();
        for (const [index, list] of slots.entries()) {
          const sorted = list.toSorted((left, right) => left - right);
          const entries = sorted.map((slot, place) => entry(slot, `${index}/${place}`));
          await merged.add(addressOf(String(index)), read(entries));
        }
        const all = await drain(merged, limit);
        const order = all.map(({ slot }) => slot);
        expect(order).toEqual(order.toSorted((left, right) => left - right));
        expect(new Set(all.map(({ signature }) => signature)).size).toBe(slots.flat().length);
      }),
      { numRuns: 60 },
    );
  });

  it('list a transaction of two addresses once, with both addresses', async () => {
    const merged = new MergedHistory();
    const [left, right] = [addressOf('left'), addressOf('right')];
    await merged.add(left, read([entry(1, 'both')]));
    await merged.add(right, read([entry(1, 'both'), entry(2, 'one')]));
    const [both, one] = await merged.take(10);
    expect(both!.mentions.map(({ address }) => address)).toEqual([left, right]);
    expect(one!.mentions.map(({ address }) => address)).toEqual([right]);
  });

  it('merge transactions that were put back, in order, with those that arrived since', async () => {
    const merged = new MergedHistory();
    await merged.add(addressOf('mint'), read([entry(1, 'a'), entry(3, 'c'), entry(5, 'e')]));
    await merged.take(1);
    merged.giveBack(await merged.take(2));
    await merged.add(addressOf('account'), read([entry(2, 'b'), entry(4, 'd')]));
    const all = await drain(merged, 2);
    expect(all.map(({ slot }) => slot)).toEqual([2, 3, 4, 5]);
  });
});
