import { DATA_KEY_LENGTH, type SealedColumn } from '../../crypto/index.js';
import { type Database, query, sql } from '../../database/index.js';
import { conflict } from '../../kernel/errors.js';
import type { Random } from '../../kernel/random.js';
import {
  insertDataKeys,
  LEAD_SECONDS,
  readDataKeys,
  readMasterVersion,
  wrapDataKeys,
} from '../data-key-rows.js';
import type { MasterKeys } from '../master-key.js';
import { lockKeys } from './lock-keys.js';
import { pacedBy, type Pacing } from '../../jobs/index.js';
import { countByKey, sumOf } from './sealing-keys.js';

/** How long an instance may take from sealing a value to the transaction that stores it. */
const STORE_SECONDS = 10;

export interface AnnounceOptions extends Pacing {
  readonly database: Database;
  readonly masterKeys: MasterKeys;
  readonly purposes: readonly string[];
  readonly columns: readonly SealedColumn[];
  readonly random: Random;
  readonly leadSeconds?: number;
}

/**
 * Creates a new data key for each purpose except digests, and records that every value must be resealed. If an earlier
 * resealing is not finished, creates keys only for purposes that an upgrade has added since. Returns whether it created any.
 */
export async function announceDataKeys({
  database,
  masterKeys,
  purposes,
  columns,
  random,
  leadSeconds = LEAD_SECONDS,
  ...pacing
}: AnnounceOptions): Promise<boolean> {
  const resealings = await database.rows(
    query.selectFrom('resealing').select(['purpose', 'finished_at as finishedAt']),
  );
  const goesOn = resealings.some(({ finishedAt }) => finishedAt === null);
  const begun = new Set(goesOn ? resealings.map(({ purpose }) => purpose) : []);
  const wanted = purposes.filter((purpose) => !begun.has(purpose));
  if (wanted.length === 0) return false;
  const current = await readMasterVersion(database);
  if (!current) throw conflict('The database has no master key yet. Start the gateway once.');
  const stored = await readDataKeys(database);
  const master = await masterKeys.find(current.provider, current.locator);
  const [{ last } = { last: 0 }] = await database.rows(
    query.selectFrom('data_keys').select(sql<number>`coalesce(max(id), 0)::integer`.as('last')),
  );
  const keys = wanted.map((purpose, index) => ({
    ...{ id: last + index + 1, purpose },
    secret: random(DATA_KEY_LENGTH),
  }));
  const wrapped = await wrapDataKeys(master, keys);
  // Counted before any value is sealed with the new keys, so that status and metrics show from the start what is left.
  const left = new Map<string, number>();
  const paced = pacedBy(pacing);
  for (const column of columns)
    if (wanted.includes(column.purpose))
      left.set(column.purpose, sumOf(await countByKey(database, column, paced)));
  await database.transaction(async (transaction) => {
    await lockKeys(transaction, { version: current.version, dataKeys: stored.map(({ id }) => id) });
    await transaction.rows(insertDataKeys(wrapped, current.version, leadSeconds));
    if (!goesOn) await transaction.rows(query.deleteFrom('resealing'));
    await transaction.rows(
      query
        .insertInto('resealing')
        .values(wanted.map((purpose) => ({ purpose, reached: null, values_left: left.get(purpose) ?? 0 }))),
    );
  });
  return true;
}

/**
 * The time until every instance seals with the newest data keys, and has begun to store what it sealed before; `undefined` if
 * every instance has. A run of `reseal` that begins earlier could miss such values.
 */
export async function usableInMs(database: Database): Promise<number | undefined> {
  const lateSeconds = database.engine === 'postgresql' ? STORE_SECONDS : 0;
  const [row] = await database.rows(
    query
      .selectFrom('data_keys')
      .select(
        sql<number>`((extract(epoch from max(usable_at) - now()) + ${lateSeconds}::integer) * 1000)::float8`.as(
          'wait',
        ),
      ),
  );
  return row && row.wait > 0 ? Math.ceil(row.wait) : undefined;
}
