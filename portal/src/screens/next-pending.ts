interface QueuePage {
  /** Those that wait for this person: the oldest first, which is the order of ids. */
  readonly ids: readonly string[];
  /** The cursor of the next page; null after the last one. */
  readonly next: string | null;
}

/** A queue of more pages than that keeps nobody: the list is shown instead. */
const MAX_PAGES = 100;

/**
 * What waits after the one that was decided: the next in the queue, from the last one the oldest, or `undefined`. What cannot
 * be read of a queue is as if it were not there: the decision was made.
 */
export async function nextPending(
  decided: string,
  readPage: (after: string | null) => Promise<QueuePage>,
): Promise<string | undefined> {
  let oldest: string | undefined;
  let after: string | null = null;
  const cursors = new Set<string | null>();
  do {
    cursors.add(after);
    const { ids, next }: QueuePage = await readPage(after).catch(() => ({ ids: [], next: null }));
    const following = ids.find((id) => id > decided);
    if (following !== undefined) return following;
    oldest ??= ids.find((id) => id !== decided);
    after = next;
  } while (after !== null && !cursors.has(after) && cursors.size < MAX_PAGES);
  return oldest;
}
