import { type SealedColumn, sealedPrefix, sealingKeyOf } from '../../crypto/index.js';
import { type Database, sql } from '../../database/index.js';

/** The beginning of a value that names the data key that sealed it. Empty if it is not a sealed value. */
export function prefixOf({ column }: SealedColumn) {
  const value = sql.id(column);
  // Raw, because the columns are data. A value that names no key is identified by its first byte alone.
  return sql<Uint8Array>`case substring(${value} from 1 for 1)
    when '\\x01'::bytea then '\\x01'::bytea when '\\x02'::bytea then substring(${value} from 1 for 5)
    else ''::bytea end`;
}

interface SealedWith {
  readonly id: number;
  readonly count: number;
}

/** The number of values that each of these data keys sealed, if any. Scans the table once for any number of keys. */
export async function countByKey(
  database: Database,
  column: SealedColumn,
  ids: readonly number[],
): Promise<SealedWith[]> {
  if (ids.length === 0) return [];
  const prefixes = sql.join(ids.map((id) => sql`${sealedPrefix(id)}::bytea`));
  const prefix = prefixOf(column);
  // Raw, as above.
  const groups = await database.rows(
    sql<{ prefix: Uint8Array; count: number }>`select ${prefix} as prefix, count(*)::integer as count
      from ${sql.table(column.table)} where ${sql.id(column.column)} is not null and ${prefix} in (${prefixes})
      group by 1`,
  );
  return groups
    .map((group) => ({ id: sealingKeyOf(group.prefix)!, count: group.count }))
    .toSorted((one, other) => one.id - other.id);
}

/** The number of values of a column. */
export async function countValues(database: Database, { table, column }: SealedColumn): Promise<number> {
  // Raw, as above.
  const [row] = await database.rows(
    sql<{ count: number }>`select count(*)::integer as count from ${sql.table(table)}
      where ${sql.id(column)} is not null`,
  );
  return row?.count ?? 0;
}
