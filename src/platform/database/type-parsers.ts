// Object identifiers of PostgreSQL's own types (pg_type.dat).
const INT8 = 20;
const TIMESTAMPTZ = 1184;

/**
 * How columns are parsed, the same on both engines. Slots, positions and counts are below 2^53, so an int8 is a number;
 * amounts are never stored as numbers. A timestamptz is a `Date`.
 */
export const typeParsers: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [TIMESTAMPTZ]: (text) => new Date(text),
};
