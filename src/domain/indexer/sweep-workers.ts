import { query, sql, type Database } from '../../platform/database/index.js';
import type { Sweep } from '../../platform/jobs/index.js';

/** Removes workers that were killed. Live ones report every few seconds. */
export const sweepWorkers = (database: Database): Sweep => ({
  table: 'indexer_workers',
  async sweep(limit) {
    const removed = await database.rows(
      query
        .deleteFrom('indexer_workers')
        .where('instance_id', 'in', (workers) =>
          workers
            .selectFrom('indexer_workers')
            .select('instance_id')
            .where('seen_at', '<', sql<Date>`now() - interval '1 day'`)
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .returning('instance_id'),
    );
    return removed.length;
  },
});
