import type { SealedColumn } from '../../crypto/index.js';
import { type Database, query, sql } from '../../database/index.js';
import { badUserInput, conflict } from '../../kernel/errors.js';
import {
  DIGESTS,
  EVERY_PURPOSE,
  readDataKeys,
  readMasterVersion,
  type StoredDataKey,
} from '../data-key-rows.js';
import { lockKeys } from './lock-keys.js';
import { type Paced, pacedBy, type Pacing } from '../../jobs/index.js';
import { countByKey } from './sealing-keys.js';

/**
 * Until then, a transaction may store what it sealed with the previous data keys, such as that of an instance that was cut off,
 * which stops within `LEAD_SECONDS`.
 */
const SETTLED_SECONDS = 300;

interface RetireOptions extends Pacing {
  readonly database: Database;
  readonly columns: readonly SealedColumn[];
  /** The purposes of sealed values. */
  readonly purposes: readonly string[];
}

/**
 * Destroys the data keys that the version ever wrapped, and marks it as retired. Then an old backup and the old master key open
 * nothing that was sealed later. Refused while one of the data keys is needed. Returns how many data keys it destroyed.
 */
export async function retireMasterKey(
  { database, columns, purposes, ...pacing }: RetireOptions,
  version: number,
): Promise<number> {
  const current = await readMasterVersion(database);
  const [named] = await database.rows(
    query.selectFrom('master_keys').select('retired_at as retiredAt').where('version', '=', version),
  );
  if (!current || !named) throw badUserInput(`The database has no master key of version ${version}.`);
  if (named.retiredAt) throw conflict(`Version ${version} is already retired.`);
  if (version === current.version)
    throw conflict(
      `Version ${version} is in use. Run “lucarne master-key rotate” and “lucarne master-key reseal” first.`,
    );
  const stored = await readDataKeys(database);
  const exposed = stored.filter(
    ({ purpose, firstMasterVersion }) => purpose !== DIGESTS && firstMasterVersion <= version,
  );
  const sealing = keysThatSeal(stored, purposes);
  if (exposed.some(({ id }) => sealing.has(id)))
    throw conflict(
      `Version ${version} wrapped data keys that are in use. Run “lucarne master-key reseal” first.`,
    );
  // The values that it sealed are in a table that only a newer version can search.
  const unknown = exposed.find(({ purpose }) => purpose !== EVERY_PURPOSE && !purposes.includes(purpose));
  if (unknown)
    throw conflict(
      `Data key ${unknown.id} is for “${unknown.purpose}”, which this version does not know. Run the command of the newest ` +
        'version that served this database.',
    );
  await requireSettled(database);
  await requireUnused(
    database,
    columns,
    exposed.map(({ id }) => id),
    pacedBy(pacing),
  );

  await database.transaction(async (transaction) => {
    await lockKeys(transaction, { version: current.version, dataKeys: stored.map(({ id }) => id) });
    for (const { id } of exposed)
      await transaction.rows(
        query
          .updateTable('data_keys')
          .set({ wrapped_key: null, destroyed_at: sql<Date>`now()` })
          .where('id', '=', id),
      );
    await transaction.rows(
      query
        .updateTable('master_keys')
        .set({ retired_at: sql<Date>`now()` })
        .where('version', '=', version),
    );
  });
  return exposed.length;
}

/**
 * The newest key of each purpose. Also the original key if a purpose has no other one, such as a purpose that an upgrade added.
 */
function keysThatSeal(stored: readonly StoredDataKey[], purposes: readonly string[]): ReadonlySet<number> {
  const newest = new Map(stored.map(({ id, purpose }) => [purpose, id]));
  const first = newest.get(EVERY_PURPOSE);
  newest.delete(EVERY_PURPOSE);
  const needsFirst = first !== undefined && purposes.some((purpose) => !newest.has(purpose));
  return new Set([...newest.values(), ...(needsFirst ? [first] : [])]);
}

async function requireSettled(database: Database): Promise<void> {
  const [row] = await database.rows(
    query
      .selectFrom('data_keys')
      .select(
        sql<number>`ceil(extract(epoch from max(usable_at) - now()) + ${SETTLED_SECONDS}::integer)::integer`.as(
          'wait',
        ),
      ),
  );
  if (row && row.wait > 0)
    throw conflict(
      `The newest data keys have been in use for less than ${SETTLED_SECONDS} s. Run the command again in ${row.wait} s.`,
    );
}

async function requireUnused(
  database: Database,
  columns: readonly SealedColumn[],
  ids: readonly number[],
  paced: Paced,
): Promise<void> {
  if (ids.length === 0) return;
  for (const column of columns) {
    const counts = await countByKey(database, column, paced);
    const id = ids.find((each) => counts.has(each));
    if (id !== undefined)
      throw conflict(
        `${counts.get(id)} values of ${column.table} are sealed with data key ${id}. Run “lucarne master-key reseal” first.`,
      );
  }
}
