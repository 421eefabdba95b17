/** Runs `work`, and counts the turns of the event loop meanwhile. */
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
 * Runs `work` with a clock that advances by a second at each read, and counts the reads: `timeSlices` reads it between steps,
 * and again after each turn. So one step uses up each slice on any machine.
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
