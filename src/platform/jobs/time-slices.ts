const SLICE_DURATION_MS = 10;

/** Who waits for a turn of the event loop, in the order of waiting. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a turn of the event loop that no other caller of this function has. So however much long work there is, others
 * wait for one slice of it, not for one of each.
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
 * For long work on the main thread: await the returned function between its steps. Once a slice is used up, it waits for a
 * turn that no other work has, so that no request waits much longer than one slice and one step.
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
