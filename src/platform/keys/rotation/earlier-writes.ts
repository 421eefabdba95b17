import { type Database, sql } from '../../database/index.js';
import { waitUntil } from '../../jobs/index.js';

const PAUSE_MS = 200;
/** Longer than any transaction of an instance. A forgotten one, or one of another program, must not block the command forever. */
const MAX_PAUSES = 300;

/**
 * Waits until the transactions that are writing now have ended. They may store values that were sealed with earlier data keys,
 * which nobody sees until they commit.
 */
export async function earlierWritesEnded(database: Database): Promise<void> {
  // The embedded database has one process.
  if (database.engine === 'pglite') return;
  let earlier: string[] | undefined;
  const haveEnded = async () => {
    const now = await writing(database);
    earlier = (earlier ?? [...now]).filter((id) => now.has(id));
    return earlier.length === 0;
  };
  await waitUntil(haveEnded, { pauseMs: PAUSE_MS, maxPauses: MAX_PAUSES });
}

/** The transactions of this database that have written, or locked a row to write it. */
async function writing(database: Database): Promise<ReadonlySet<string>> {
  // Raw, because these are views of PostgreSQL. Every role sees their rows.
  const rows = await database.rows(
    sql<{ id: string }>`select transactionid::text as id from pg_locks join pg_stat_activity using (pid)
      where locktype = 'transactionid' and granted and datname = current_database()`,
  );
  return new Set(rows.map(({ id }) => id));
}
