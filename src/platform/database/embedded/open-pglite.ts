import { PGlite, types, type PGliteOptions } from '@electric-sql/pglite';
import { typeParsers } from '../type-parsers.js';

/** `name`, the type of names in the catalog. */
const NAME = 19;

/** The types whose arrays are read or sent, and the types of the arrays (pg_type.dat), which are the same in all databases. */
const ARRAYS: readonly (readonly [element: number, array: number])[] = [
  [types.BOOL, 1000],
  [types.BYTEA, 1001],
  [NAME, 1003],
  [types.INT2, 1005],
  [types.INT4, 1007],
  [types.TEXT, 1009],
  [types.VARCHAR, 1015],
  [types.INT8, 1016],
  [types.OID, 1028],
  [types.TIMESTAMPTZ, 1185],
  [types.NUMERIC, 1231],
  [types.UUID, 2951],
  [types.JSONB, 3807],
];

/**
 * PGlite with a short table of parsers. By itself it asks each database for all array types, and copies the table, which then has
 * more than 300 members, for each result: that took almost half of the time of a small statement.
 */
class ShortTable extends PGlite {
  override _initArrayTypes(): Promise<void> {
    // Types that are not in the table are parsed by PGlite's own parsers.
    this.parsers = { ...typeParsers };
    for (const [element, array] of ARRAYS) {
      const parser = typeParsers[element] ?? types.parsers[element];
      const serializer = types.serializers[element];
      this.parsers[array] = (text) => types.arrayParser(text, parser!, array) as unknown;
      this.serializers[array] = (values) => types.arraySerializer(values, serializer, array);
    }
    return Promise.resolve();
  }
}

/** Opens a PGlite that parses columns like the connections to a PostgreSQL: in memory, or from its directory. */
export async function openPglite(
  directory?: string,
  options: Omit<PGliteOptions, 'parsers'> = {},
): Promise<PGlite> {
  // PGlite ignores the options after a directory that is undefined.
  const pglite = directory === undefined ? new ShortTable(options) : new ShortTable(directory, options);
  await pglite.waitReady;
  return pglite;
}
