/** What the page knows of an entry: its place, null until it has one, and its time. */
export interface Placed {
  readonly index: number | null;
  readonly createdAt: string;
}

/** Places from one to another, both of them included. */
export type Places = readonly [from: number, to: number];

export interface Gaps {
  readonly repeated: readonly Places[];
  readonly isOutOfOrder: boolean;
  /** Places whose entries were left out. */
  readonly missing: readonly Places[];
  /** Places whose entries may have been added meanwhile, or come with the next page. */
  readonly awaited: readonly Places[];
}

/** The places of a set as ranges, the newest first. */
function rangesOf(places: Iterable<number>): Places[] {
  const ranges: [number, number][] = [];
  for (const place of [...places].sort((a, b) => b - a)) {
    const last = ranges.at(-1);
    if (last?.[0] === place + 1) last[0] = place;
    else ranges.push([place, place]);
  }
  return ranges;
}

/**
 * What is wrong with the entries that were given, newest first. Of a `whole` log without a filter, `size` entries have a
 * place, so that a gap is seen; a part of a log has gaps.
 */
export function gapsOf(
  entries: readonly Placed[],
  whole?: { readonly size: number; readonly hasMore: boolean },
): Gaps {
  const known = new Set<number>();
  const repeated = new Set<number>();
  for (const { index } of entries) {
    if (index === null) continue;
    if (known.has(index)) repeated.add(index);
    known.add(index);
  }
  const found = {
    repeated: rangesOf(repeated),
    isOutOfOrder: entries.some(
      ({ createdAt }, at) => at > 0 && Date.parse(createdAt) > Date.parse(entries[at - 1]!.createdAt),
    ),
  };
  if (!whole) return { ...found, missing: [], awaited: [] };
  const places = [...known].sort((a, b) => a - b);
  // Downwards from the newest place to the oldest one that is given, or to the beginning of the log: the ranges between.
  const ends = [...(whole.hasMore ? [] : [-1]), ...places];
  const between = ends
    .slice(1)
    .map((end, at): Places => [ends[at]! + 1, end - 1])
    .filter(([from, to]) => from <= to)
    .reverse();
  const newest = places.at(-1) ?? -1;
  const above: Places = [newest + 1, whole.size - 1];
  const waiting = entries.filter(({ index }) => index === null).length;
  // Entries that had no place yet when they were read may have one of these by now.
  const isAbove = above[1] - above[0] + 1 > waiting;
  return {
    ...found,
    missing: whole.hasMore ? [] : between,
    awaited: [...(isAbove ? [above] : []), ...(whole.hasMore ? between : [])],
  };
}
