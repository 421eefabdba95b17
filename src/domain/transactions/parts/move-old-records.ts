import { type Database, query, sql, takeTurn } from '../../../platform/database/index.js';
import { pacedBy, type Pacing } from '../../../platform/jobs/index.js';
import { type Clock, systemClock } from '../../../platform/kernel/clock.js';
import { badUserInput } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { makePart, partOf } from './parts.js';

export interface MoveOldRecordsOptions extends Pacing {
  /** Midnight of a day in UTC. Records that were indexed before it are moved. */
  readonly before: Date;
  /** The tablespace of the part. Null for the database's own. */
  readonly tablespace: string | null;
  /** Called after each batch with the number of moved records. */
  readonly progress?: (moved: number) => void;
  readonly batchSize?: number;
  readonly clock?: Clock;
}

/** Records of one transaction. */
const BATCH_SIZE = 1_000;
/** Moved records before their space is reclaimed. Reads must skip them at the beginning of the indexes. */
const VACUUM_AFTER = 100_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Moves the records that were indexed before a day into a separate part, while gateways serve. Each batch is one transaction
 * that locks only the records it moves, and nobody changes records. A statement sees every record once, in one part or the
 * other. If it is stopped at any point, the next call continues it. Two concurrent calls each move some of the records. The
 * caller owns the tables.
 *
 * @returns the number of moved records
 */
export async function moveOldRecords(
  database: Database,
  {
    before,
    tablespace,
    progress,
    batchSize = BATCH_SIZE,
    clock = systemClock,
    ...pacing
  }: MoveOldRecordsOptions,
): Promise<number> {
  if (before.getTime() <= 0 || before.getTime() % DAY_MS !== 0)
    throw badUserInput('A part must end at midnight UTC of a day after 1970-01-01.');
  // Transactions that began before midnight may commit records of that day later.
  if (before.getTime() > clock.now().getTime() - DAY_MS)
    throw badUserInput(
      'A part must end at least 24 hours ago, because records of later days are still being indexed.',
    );
  await makePart(database, before, tablespace);
  const paced = pacedBy(pacing);
  /** Zero if another call moved them at the same time. Undefined if none are left. */
  const moveBatch = async (assetId: Id<'ast'>): Promise<number | undefined> => {
    const batch = await oldestLive(database, assetId, before, batchSize);
    if (!batch) return undefined;
    await announce(database, assetId, batch.slot);
    return move(database, assetId, batch.position, partOf(before));
  };
  let moved = 0;
  let unswept = 0;
  for (const assetId of await assetsWithRecords(database, before)) {
    for (;;) {
      const count = await paced(() => moveBatch(assetId));
      if (count === undefined) break;
      moved += count;
      unswept += count;
      progress?.(moved);
      if (unswept < VACUUM_AFTER) continue;
      await paced(() => vacuum(database, 'transactions_live'));
      unswept = 0;
    }
  }
  // On all parts, because nothing else updates the statistics of the whole table for the planner. It also runs if nothing was
  // left to move: an earlier run may have been stopped before it.
  await vacuum(database, 'transactions');
  return moved;
}

async function assetsWithRecords(database: Database, before: Date): Promise<Id<'ast'>[]> {
  const rows = await database.rows(
    query
      .selectFrom('assets')
      .select('id')
      .where((where) =>
        where.exists(
          where
            .selectFrom('transactions')
            .select('transactions.id')
            .whereRef('transactions.asset_id', '=', 'assets.id')
            .where('transactions.part', '=', 0)
            .where('transactions.indexed_at', '<', before),
        ),
      )
      .orderBy('id'),
  );
  return rows.map(({ id }) => id);
}

/** The last position and the newest slot of the asset's next batch. The time of indexing never falls as the position rises. */
async function oldestLive(database: Database, assetId: Id<'ast'>, before: Date, limit: number) {
  const [batch] = await database.rows(
    query
      .selectFrom((from) =>
        from
          .selectFrom('transactions')
          .select(['position', 'slot'])
          .where('asset_id', '=', assetId)
          .where('part', '=', 0)
          .where('indexed_at', '<', before)
          .orderBy('position')
          .limit(limit)
          .as('batch'),
      )
      .select(({ fn }) => [
        fn.max<number | null>('batch.position').as('position'),
        fn.max<number | null>('batch.slot').as('slot'),
      ]),
  );
  if (batch?.position == null || batch.slot === null) return undefined;
  return { position: batch.position, slot: batch.slot };
}

/** Committed before the move, so that from now on, records up to this slot are looked up in parts before they are inserted. */
async function announce(database: Database, assetId: Id<'ast'>, slot: number): Promise<void> {
  await database.rows(
    query
      .updateTable('assets')
      .set({ moved_slot: slot })
      .where('id', '=', assetId)
      .where((asset) => asset.or([asset('moved_slot', 'is', null), asset('moved_slot', '<', slot)])),
  );
}

const move = (database: Database, assetId: Id<'ast'>, position: number, part: number): Promise<number> =>
  database.transaction(async (transaction) => {
    // A row that another operator moves at the same time cannot be moved.
    await takeTurn(transaction, 'moving records');
    // Raw, because the builder does not count rows that it does not return.
    const [result] = await transaction.rows(sql<{ count: number }>`
      with moved as (
        update transactions set part = ${part}
        where asset_id = ${assetId} and part = 0 and position <= ${position} returning 1)
      select count(*) as count from moved`);
    return result?.count ?? 0;
  });

/** Runs outside of a transaction. It does not truncate the table, because readers would wait for that. */
const vacuum = (database: Database, table: 'transactions' | 'transactions_live') =>
  database.rows(sql`vacuum (analyze, truncate false) ${sql.id(table)}`);
