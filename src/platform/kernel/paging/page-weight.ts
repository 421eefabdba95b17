/** The maximum number of values on a page after its first row, for any page size: as many as a response may have fields. */
export const MAX_PAGE_VALUES = 20_000;

/** Text of this length counts as one value more. */
const CHARACTERS_PER_VALUE = 64;

/** How many values a row holds, in its lists too. Numbers of items are what makes one row a thousand times another. */
export function valuesIn(row: unknown): number {
  if (typeof row === 'string') return 1 + Math.floor(row.length / CHARACTERS_PER_VALUE);
  if (typeof row !== 'object' || row === null || row instanceof Date) return 1;
  if (ArrayBuffer.isView(row)) return 1 + Math.floor(row.byteLength / CHARACTERS_PER_VALUE);
  let values = 1;
  for (const value of Array.isArray(row) ? (row as unknown[]) : Object.values(row)) values += valuesIn(value);
  return values;
}

/** How many of the rows, from the first on, a page holds: at least one. */
export function rowsThatFit(rows: readonly unknown[]): number {
  let values = 0;
  for (const [index, row] of rows.entries()) {
    values += valuesIn(row);
    if (values > MAX_PAGE_VALUES) return Math.max(1, index);
  }
  return rows.length;
}

/** What a listing of rows that can be large counts in a document: a page can hold many values that its fields do not tell. */
export const COMPLEXITY_OF_LARGE_ROWS = 3_000;
