import { describe, expect, it } from '@jest/globals';
import { nextPending } from '../../portal/src/screens/next-pending.ts';

describe('What waits after a decision', () => {
  it('is the next of the queue, on whatever page it stands, and from the last one the oldest', async () => {
    const pages = [['a', 'b'], ['c'], ['d']];
    const readPage = (after: string | null) => {
      const page = Number(after ?? 0);
      return Promise.resolve({ ids: pages[page]!, next: page === 2 ? null : String(page + 1) });
    };
    expect(await nextPending('b', readPage)).toBe('c');
    expect(await nextPending('c', readPage)).toBe('d');
    expect(await nextPending('d', readPage)).toBe('a');
    const only = () => Promise.resolve({ ids: ['a'], next: null });
    expect(await nextPending('a', only)).toBeUndefined();
  });

  it.each([
    ['names the same page again', () => 'again'],
    ['always names another page', (reads: number) => `page ${reads}`],
  ])('is looked for in so many pages only, where the gateway %s', async (_, next) => {
    let reads = 0;
    const readPage = () => {
      reads += 1;
      return reads < 1_000
        ? Promise.resolve({ ids: ['a'], next: next(reads) })
        : Promise.reject(new Error('Without a bound it never ends.'));
    };
    expect(await nextPending('b', readPage)).toBe('a');
    expect(reads).toBeLessThanOrEqual(100);
  });
});
