import { describe, expect, it } from '@jest/globals';
import { pagesOf } from '../../../portal/src/graphql/pages.ts';
import { nextPending } from '../../../portal/src/screens/next-pending.ts';

/** Pages of a list, whose cursors are the numbers of the pages. */
const listOf = (pages: readonly (readonly string[])[]) =>
  pagesOf((after) => {
    const page = Number(after ?? 0);
    const pageInfo = { hasNextPage: page + 1 < pages.length, endCursor: String(page + 1) };
    return Promise.resolve({ nodes: pages[page]!.map((id) => ({ id })), pageInfo });
  });
const everyone = () => true;

describe('the next pending item after a decision', () => {
  it('is the next item of the queue, on any page; after the last one, the oldest', async () => {
    const next = (decided: string) => nextPending(decided, listOf([['a', 'b'], ['c'], ['d']]), everyone);
    expect(await next('b')).toBe('c');
    expect(await next('c')).toBe('d');
    expect(await next('d')).toBe('a');
    expect(await nextPending('a', listOf([['a']]), everyone)).toBeUndefined();
  });

  it('is never one that another person must decide', async () => {
    const queue = () =>
      listOf([
        ['a', 'b'],
        ['c', 'd'],
      ]);
    expect(await nextPending('b', queue(), ({ id }) => id !== 'c')).toBe('d');
    expect(await nextPending('d', queue(), ({ id }) => id !== 'a')).toBe('b');
  });

  it('is the oldest item of the part of the queue that was read', async () => {
    const queue = pagesOf((after) =>
      after === null
        ? Promise.resolve({ nodes: [{ id: 'a' }], pageInfo: { hasNextPage: true, endCursor: 'more' } })
        : Promise.reject(new Error('The gateway does not answer.')),
    );
    expect(await nextPending('b', queue, everyone)).toBe('a');
  });
});

describe('the pages of a list', () => {
  it.each([
    ['names the same page again', [{ id: 'a' }], () => 'again'],
    ['always names another page', [{ id: 'a' }], (reads: number) => `page ${reads}`],
    ['names another page after one with nothing', [], (reads: number) => `page ${reads}`],
    ['names another page without saying which', [{ id: 'a' }], () => null],
  ])('are so many only, where the gateway %s', async (_, nodes, next) => {
    let reads = 0;
    const pages = () =>
      pagesOf(() => {
        reads += 1;
        if (reads > 1_000) throw new Error('Without a bound it never ends.');
        return Promise.resolve({ nodes, pageInfo: { hasNextPage: true, endCursor: next(reads) } });
      });
    await expect(Array.fromAsync(pages())).rejects.toMatchObject({ code: 'ENDLESS' });
    expect(reads).toBeLessThanOrEqual(251);
    reads = 0;
    expect(await nextPending('b', pages(), everyone)).toBe(nodes[0]?.id);
  });
});
