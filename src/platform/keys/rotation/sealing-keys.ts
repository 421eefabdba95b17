import { type SealedColumn, sealingKeyOf } from '../../crypto/index.js';
import { type Database, sql } from '../../database/index.js';
import type { Paced } from '../../jobs/index.js';

/** The beginning of a value that names the data key that sealed it. Empty if it is not a sealed value. */
export function prefixOf({ column }: SealedColumn) {
  const value = sql.id(column);
  // Raw, because the columns are data. A value that names no key is identified by its first byte alone.
  return sql<Uint8Array>`case substring(${value} from 1 for 1)
    when '\\x01'::bytea then '\\x01'::bytea when '\\x02'::bytea then substring(${value} from 1 for 5)
    else ''::bytea end`;
}

/** Rows of one statement. It takes some milliseconds on one core, however large the table is. */
const ROWS_AT_ONCE = 5_000;

/** The number of values by the data key that sealed them; `undefined` counts those that name none. */
export type ValuesByKey = ReadonlyMap<number | undefined, number>;

/**
 * Counts the values of a column, batch by batch in the order of the primary key, while instances read and write. Values that
 * are stored meanwhile may be missing.
 */
export async function countByKey(
  database: Database,
  column: SealedColumn,
  paced: Paced,
): Promise<ValuesByKey> {
  const counts = new Map<number | undefined, number>();
  for (let after: RowKey | undefined, isEnd = false; !isEnd;) {
    const groups = await paced(() => countPage(database, column, after));
    for (const { prefix, count } of groups) {
      if (!prefix) continue;
      const id = sealingKeyOf(prefix);
      counts.set(id, (counts.get(id) ?? 0) + count);
    }
    isEnd = groups.reduce((sum, { count }) => sum + count, 0) < ROWS_AT_ONCE;
    after = groups[0]?.last;
  }
  return counts;
}

export const sumOf = (counts: ValuesByKey) => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** The values of the primary key. */
export type RowKey = readonly (string | number)[];

interface Group {
  /** Null for empty columns. */
  readonly prefix: Uint8Array | null;
  readonly count: number;
  /** The last row of the page. */
  readonly last: RowKey;
}

function countPage(database: Database, column: SealedColumn, after: RowKey | undefined): Promise<Group[]> {
  const names = column.key.map((name) => sql.id(name));
  const key = sql.join(names);
  const backwards = sql.join(names.map((name) => sql`${name} desc`));
  const following = after ? sql`where (${key}) > (${sql.join([...after])})` : sql``;
  // Raw, as above. `limit` makes PostgreSQL walk the index, whatever it knows about the table.
  return database.rows(
    sql<Group>`with page as materialized (
        select ${key}, case when ${sql.id(column.column)} is not null then ${prefixOf(column)} end as prefix
        from ${sql.table(column.table)} ${following} order by ${key} limit ${ROWS_AT_ONCE}::integer
      )
      select prefix, count(*)::integer as count,
        (select jsonb_build_array(${key}) from page order by ${backwards} limit 1) as last
      from page group by prefix`,
  );
}
