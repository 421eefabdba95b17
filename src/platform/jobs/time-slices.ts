import { setImmediate } from 'node:timers/promises';

const SLICE_DURATION_MS = 10;

/**
 * For long work on the main thread: await the returned function between its steps. Once a slice is used up, it lets
 * everything that waits for this thread run first, so that no request waits much longer than one slice and one step.
 */
export function timeSlices(durationMs = SLICE_DURATION_MS): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < durationMs) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}

/** What `step` makes of each item, in {@link timeSlices}: long work of many short steps. */
export async function inSlices<Item, Made>(
  items: Iterable<Item>,
  step: (item: Item) => Made,
): Promise<Made[]> {
  const slice = timeSlices();
  const made: Made[] = [];
  for (const item of items) {
    made.push(step(item));
    // Awaiting is not free: most items need no wait.
    const turn = slice();
    if (turn) await turn;
  }
  return made;
}
