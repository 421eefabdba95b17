/**
 * What waits after the one that was decided: the next in the queue, from the last one the oldest, or `undefined`. The pages
 * have the oldest first, which is the order of ids. What cannot be read of a queue is as if it were not there: the decision
 * was made.
 */
export async function nextPending<Node extends { readonly id: string }>(
  decided: string,
  pages: AsyncIterable<readonly Node[]>,
  waits: (node: Node) => boolean,
): Promise<string | undefined> {
  let oldest: string | undefined;
  try {
    for await (const page of pages) {
      const waiting = page.filter(waits);
      const following = waiting.find(({ id }) => id > decided);
      if (following) return following.id;
      oldest ??= waiting.find(({ id }) => id !== decided)?.id;
    }
  } catch {
    // The oldest of the loaded items.
  }
  return oldest;
}
