// One of the threads of `world-threads.ts`.
import { parentPort, workerData } from 'node:worker_threads';
import { openWorld } from './open-world.ts';
import type { Asked } from './world-threads.ts';

const port = parentPort!;
const simulate = await openWorld((workerData as { readonly image: Blob }).image);
port.on('message', ({ seed, options }: Asked) => {
  void simulate(seed, options).then((outcome) => port.postMessage(outcome));
});
