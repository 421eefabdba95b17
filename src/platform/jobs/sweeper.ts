import { Counter, type Registry } from 'prom-client';
import type { Log } from '../kernel/log.js';
import { createPollLoop, type PollLoop } from './poll-loop.js';

/** Rows of a table that nobody needs anymore. */
export interface Sweep {
  readonly table: string;
  /**
   * Removes at most `limit` of them while `mayContinue`, and returns their number. Skips rows that another instance removes.
   */
  readonly sweep: (limit: number, mayContinue?: () => boolean) => Promise<number>;
}

export interface SweeperOptions {
  readonly sweeps: readonly Sweep[];
  readonly registry: Registry;
  readonly log: Pick<Log, 'warn'>;
  readonly pollMs?: number;
}

const HOUR_MS = 60 * 60_000;
const BATCH_SIZE = 10_000;

/** Runs the sweeps once an hour, in bounded batches. Any number of instances may do so at the same time. */
export function createSweeper({ sweeps, registry, log, pollMs = HOUR_MS }: SweeperOptions): PollLoop {
  const swept = new Counter({
    name: 'lucarne_swept_rows_total',
    help: 'Rows that this instance deleted because they are no longer needed, by table.',
    labelNames: ['table'] as const,
    registers: [registry],
  });
  return createPollLoop({
    pollMs,
    async turn(mayContinue) {
      for (const { table, sweep } of sweeps) {
        // A failure for one table must not stop the others.
        await sweepAll(sweep, mayContinue, (count) => swept.inc({ table }, count)).catch((thrown: unknown) =>
          log.warn({ table, err: thrown }, 'Removing old rows failed.'),
        );
      }
    },
    failed: (thrown) => log.warn({ err: thrown }, 'Removing old rows failed.'),
  });
}

async function sweepAll(
  sweep: Sweep['sweep'],
  mayContinue: () => boolean,
  counted: (count: number) => void,
): Promise<void> {
  for (let count = BATCH_SIZE; count === BATCH_SIZE && mayContinue();) {
    count = await sweep(BATCH_SIZE, mayContinue);
    counted(count);
  }
}
