/** Maximum number of values on a page after its first row, for any page size: the maximum number of fields of a response. */
export const MAX_PAGE_VALUES = 20_000;

/** This number of characters counts as one more value. */
const CHARACTERS_PER_VALUE = 64;

/** Number of values in a row and its lists. Long lists can make one row a thousand times larger than another. */
export function valuesIn(row: unknown): number {
  if (typeof row === 'string') return 1 + Math.floor(row.length / CHARACTERS_PER_VALUE);
  if (typeof row !== 'object' || row === null || row instanceof Date) return 1;
  if (ArrayBuffer.isView(row)) return 1 + Math.floor(row.byteLength / CHARACTERS_PER_VALUE);
  let values = 1;
  for (const value of Array.isArray(row) ? (row as unknown[]) : Object.values(row)) values += valuesIn(value);
  return values;
}

/** How many of the rows, from the first one, fit on a page: at least one. */
export function rowsThatFit(rows: readonly unknown[]): number {
  let values = 0;
  for (const [index, row] of rows.entries()) {
    values += valuesIn(row);
    if (values > MAX_PAGE_VALUES) return Math.max(1, index);
  }
  return rows.length;
}

/** The complexity of a list of rows that can be large: its fields do not show how many values a page can contain. */
export const COMPLEXITY_OF_LARGE_ROWS = 3_000;
