import { DatabaseServer } from './database-server.ts';
import { replaceGlobals } from './globals.ts';
import { simulate, type Outcome, type SimulationOptions } from './world.ts';

export type Simulate = (seed: string, options?: SimulationOptions) => Promise<Outcome>;

/** Maximum number of worlds for one database. */
const MAX_WORLDS = 20;

/** Loads the product, and prepares this thread to simulate worlds one after another. A mutation must come first. */
export async function openWorld(image?: Blob): Promise<Simulate> {
  replaceGlobals();
  let server = await DatabaseServer.open(image);
  let worlds = 0;
  return async (seed, options) => {
    // The files of a database in memory grow, so it is replaced after some worlds.
    if (worlds === MAX_WORLDS) {
      await server.close();
      server = await DatabaseServer.open(image);
      worlds = 0;
    }
    worlds += 1;
    return simulate(seed, server, options);
  };
}
