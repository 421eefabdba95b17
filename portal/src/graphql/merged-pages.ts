import type { ReadPages } from './pages.ts';

/**
 * Two lists as one, each with its newest rows first. An id begins with its time. A row is shown when no row that is not read
 * yet can be newer, so that reading more never adds a row above others.
 */
export function newestOf<Row extends { readonly id: string }>(
  one: ReadPages<Row>,
  other: ReadPages<Row>,
): ReadPages<Row> {
  const both = [one, other];
  /** Newer rows of this list are all read. */
  const readUntil = (pages: ReadPages<Row>) => (pages.hasMore ? (pages.nodes.at(-1)?.id ?? '') : '');
  const whole = both.map(readUntil).reduce((a, b) => (a > b ? a : b));
  return {
    nodes: both
      .flatMap(({ nodes }) => nodes)
      .filter(({ id }) => id >= whole)
      .sort((a, b) => (a.id < b.id ? 1 : -1)),
    total: one.total === undefined || other.total === undefined ? undefined : one.total + other.total,
    isPending: both.some(({ isPending }) => isPending),
    isPrevious: both.some(({ isPrevious }) => isPrevious),
    error: one.error ?? other.error,
    hasMore: both.some(({ hasMore }) => hasMore),
    isReadingMore: both.some(({ isReadingMore }) => isReadingMore),
    moreError: one.moreError ?? other.moreError,
    readMore: () => {
      for (const pages of both) if (pages.hasMore && readUntil(pages) === whole) pages.readMore();
    },
    readAgain: () => {
      for (const pages of both) pages.readAgain();
    },
  };
}
