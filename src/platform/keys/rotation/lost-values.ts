import { type SealedColumn, sealedPrefix } from '../../crypto/index.js';
import { type Database, sql } from '../../database/index.js';
import { destroyedKeysAmong, readDataKeys } from '../data-key-rows.js';
import { pacedBy } from '../../jobs/index.js';
import { countByKey, prefixOf } from './sealing-keys.js';

/** Values of a column that no data key of the database can open. */
export interface LostValues {
  readonly column: SealedColumn;
  readonly count: number;
  /** The data key that they name; `undefined` if they are not sealed values. */
  readonly dataKey: number | undefined;
  readonly isDestroyed: boolean;
  /** The primary key of the first of them, in the order of `column.key`. */
  readonly first: readonly (string | number)[];
}

/** Maximum number of groups for each column. The groups with the most values are returned. */
const MAX_GROUPS = 10;

/** Searches a column for values that name no existing data key. Opens none of them. */
export async function findLostValues(database: Database, column: SealedColumn): Promise<LostValues[]> {
  const counts = await countByKey(database, column, pacedBy({}));
  // Read last, so that a data key that began to seal meanwhile is known.
  const known = new Set((await readDataKeys(database)).map(({ id }) => id));
  if (known.size === 0) return [];
  const lost = [...counts]
    .filter(([id]) => id === undefined || !known.has(id))
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MAX_GROUPS);
  const destroyed = await destroyedKeysAmong(
    database,
    lost.flatMap(([id]) => id ?? []),
  );
  const value = sql.id(column.column);
  const key = sql.join(column.key.map((name) => sql.id(name)));
  const found: LostValues[] = [];
  for (const [dataKey, count] of lost) {
    const beginning = dataKey === undefined ? new Uint8Array(0) : sealedPrefix(dataKey);
    // Raw, because the columns are data.
    const [row] = await database.rows(
      sql<Record<string, string | number>>`select ${key} from ${sql.table(column.table)}
        where ${value} is not null and ${prefixOf(column)} = ${beginning}::bytea order by ${key} limit 1`,
    );
    // The row was deleted since.
    if (!row) continue;
    const isDestroyed = dataKey !== undefined && destroyed.has(dataKey);
    found.push({ column, count, dataKey, isDestroyed, first: column.key.map((name) => row[name]!) });
  }
  return found;
}
