/** Runs `work`, and counts how often the event loop turned meanwhile. */
export async function countingTurns<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly turns: number }> {
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work().finally(() => {
    isDone = true;
  });
  return { result, turns };
}

/**
 * Runs `work` on a clock that advances a second whenever it is read, and counts the readings: `timeSlices` reads it between
 * steps, and again after each turn. Each slice is used up by one step, however fast the machine is.
 */
export async function countingSteps<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly steps: number }> {
  const now = performance.now.bind(performance);
  let readings = 0;
  performance.now = () => (readings += 1) * 1000;
  try {
    return { result: await work(), steps: Math.floor(readings / 2) };
  } finally {
    performance.now = now;
  }
}
