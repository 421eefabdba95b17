/** Runs `work`, counts how often the event loop turned meanwhile, and measures the longest turn. */
export async function countingTurns<Result>(work: () => Promise<Result>): Promise<{
  readonly result: Result;
  readonly turns: number;
  /** The part of this thread's CPU time that the longest turn took, from 0 to 1. Other processes do not change it. */
  readonly longest: number;
}> {
  let turns = 0;
  let isDone = false;
  let longestMicros = 0;
  const begin = cpuMicros();
  let last = begin;
  const turn = () => {
    turns += 1;
    const now = cpuMicros();
    longestMicros = Math.max(longestMicros, now - last);
    last = now;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work().finally(() => {
    isDone = true;
  });
  turn();
  return { result, turns, longest: longestMicros / (last - begin) };
}

function cpuMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
