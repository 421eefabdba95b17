// Asks `/livez` again and again on one connection, in a thread that does nothing else, and says how long answers took.
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** How many answers since the last message came, and how many milliseconds each took. */
export interface Heard {
  readonly answersMs: readonly number[];
}

const PAUSE_MS = 5;
const url = workerData as string;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let answersMs: number[] = [];

parentPort!.on('message', () => {
  parentPort!.postMessage({ answersMs } satisfies Heard);
  answersMs = [];
});
for (;;) {
  const began = performance.now();
  await new Promise<void>((resolve, reject) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`/livez answered ${response.statusCode}.`));
      response.resume().once('end', resolve);
    }).once('error', reject);
  });
  answersMs.push(performance.now() - began);
  await sleep(PAUSE_MS);
}
