// Requests `/livez` repeatedly on one connection, in a thread that does nothing else, and reports how long answers took.
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** The duration of each answer since the last message, in milliseconds. */
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
