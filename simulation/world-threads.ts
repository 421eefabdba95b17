import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { DatabaseServer } from './database-server.ts';
import type { Simulate } from './open-world.ts';
import type { Outcome, SimulationOptions } from './world.ts';

/** The task of a thread. Its answer is the {@link Outcome}. */
export interface Asked {
  readonly seed: string;
  readonly options: SimulationOptions;
}

/** As many threads as can run at the same time, but at most `most`. Each has a world and a copy of one migrated database. */
export async function openWorldThreads(most: number): Promise<readonly Simulate[]> {
  const server = await DatabaseServer.open();
  const image = await server.image();
  await server.close();
  return Array.from({ length: Math.min(most, availableParallelism()) }, () => {
    const thread = new Worker(new URL('world-thread.ts', import.meta.url), { workerData: { image } });
    return (seed, options = {}) =>
      new Promise<Outcome>((resolve, reject) => {
        thread.removeAllListeners();
        thread.once('message', resolve).once('error', reject);
        thread.postMessage({ seed, options } satisfies Asked);
      });
  });
}
