import { afterEach } from '@jest/globals';

/** A thread that runs `body` for each `request` of a pool, instead of arithmetic. `answer` is the function that it may call. */
export const threadThat = (answer: string, body: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { existsSync, writeFileSync } from 'node:fs';
      import { parentPort } from 'node:worker_threads';
      const answer = (request) => parentPort.postMessage(${answer});
      parentPort.on('message', (request) => { ${body} });
    `)}`,
  );

/** Pools with one thread and a queue of 100 by default. They end with the test. */
export function poolsOf<Options extends object, Pool extends AsyncDisposable>(
  create: (options: Options & { workers: number; queueLimit: number }) => Pool,
): (options?: Partial<Options>) => Pool {
  const pools: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool[Symbol.asyncDispose]();
  });
  return (options = {}) => {
    const pool = create({ workers: 1, queueLimit: 100, ...options } as Options & {
      workers: number;
      queueLimit: number;
    });
    pools.push(pool);
    return pool;
  };
}
