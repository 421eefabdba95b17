import { type SealedColumn, sealedPrefix, sealingKeyOf } from '../../crypto/index.js';
import { type Database, sql } from '../../database/index.js';
import { destroyedKeysAmong, readDataKeys } from '../data-key-rows.js';
import { prefixOf } from './sealing-keys.js';

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
  const known = (await readDataKeys(database)).map(({ id }) => sql`${sealedPrefix(id)}::bytea`);
  if (known.length === 0) return [];
  const value = sql.id(column.column);
  const prefix = prefixOf(column);
  // Raw, because the columns are data.
  const groups = await database.rows(
    sql<{ prefix: Uint8Array; count: number }>`select ${prefix} as prefix, count(*)::integer as count
      from ${sql.table(column.table)} where ${value} is not null and ${prefix} not in (${sql.join(known)})
      group by 1 order by count desc limit ${MAX_GROUPS}::integer`,
  );
  const named = groups.map((group) => ({ ...group, dataKey: sealingKeyOf(group.prefix) }));
  const destroyed = await destroyedKeysAmong(
    database,
    named.flatMap(({ dataKey }) => dataKey ?? []),
  );
  const key = sql.join(column.key.map((name) => sql.id(name)));
  const found: LostValues[] = [];
  for (const { prefix: beginning, count, dataKey } of named) {
    // Raw, as above.
    const [row] = await database.rows(
      sql<Record<string, string | number>>`select ${key} from ${sql.table(column.table)}
        where ${value} is not null and ${prefix} = ${beginning}::bytea order by ${key} limit 1`,
    );
    // The row was deleted since.
    if (!row) continue;
    const isDestroyed = dataKey !== undefined && destroyed.has(dataKey);
    found.push({ column, count, dataKey, isDestroyed, first: column.key.map((name) => row[name]!) });
  }
  return found;
}
