import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { silentLog } from '../../../src/platform/kernel/log.js';
import { createSweeper, type Sweep } from '../../../src/platform/jobs/index.js';

describe('the deletion of old rows', () => {
  it('continues until a batch is not full, counts deletions, and skips a table that fails', async () => {
    const batches: number[] = [];
    const done = Promise.withResolvers<undefined>();
    const broken: Sweep = {
      table: 'broken',
      sweep: () => Promise.reject(new Error('The database is gone.')),
    };
    const many: Sweep = {
      table: 'many',
      sweep(limit) {
        batches.push(limit);
        if (batches.length < 3) return Promise.resolve(limit);
        done.resolve(undefined);
        return Promise.resolve(7);
      },
    };
    const registry = new Registry();
    const sweeper = createSweeper({ sweeps: [broken, many], registry, log: silentLog });
    sweeper.start();
    await done.promise;
    await sweeper.stop();
    expect(await registry.getSingleMetricAsString('lucarne_swept_rows_total')).toContain(
      '{table="many"} 20007',
    );
    expect(batches).toHaveLength(3);
  });
});
