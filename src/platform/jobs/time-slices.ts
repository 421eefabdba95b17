const SLICE_DURATION_MS = 10;

/** The callers that wait for a turn of the event loop, first come, first served. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a separate turn of the event loop for each caller. Requests therefore wait for one slice of long work, however
 * many pieces of long work there are.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(giveTurn);
}

/**
 * For long work on the main thread: await the returned function between its steps. At the end of each slice, it waits for a
 * separate turn of the event loop, so that no request waits much longer than one slice and one step.
 */
export function timeSlices(durationMs = SLICE_DURATION_MS): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < durationMs) return undefined;
    return ownTurn().then(() => {
      began = performance.now();
    });
  };
}

/** The result of `step` for each item, in {@link timeSlices}. For long work that consists of many short steps. */
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
