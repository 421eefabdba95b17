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
