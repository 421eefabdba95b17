import { sql, type Database } from '../../../platform/database/index.js';
import type { Sweep } from '../../../platform/jobs/index.js';

/** Deletes packages that were rejected at admission more than a day ago, with their history. */
export const sweepRejectedRelays = (database: Database): Sweep => ({
  table: 'relay_requests',
  async sweep(limit) {
    // The tables are append-only except for what this function deletes. Raw: it calls a function and names no table.
    const [row] = await database.rows(
      sql<{ deleted: number }>`select forget_refused_relays(${limit}::integer) as deleted`,
    );
    return row!.deleted;
  },
});
