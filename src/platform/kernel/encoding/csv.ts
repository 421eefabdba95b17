export type Cell = string | number | null | undefined;

/** RFC 4180, with a line end after every row. Text that a spreadsheet would run as a formula gets a leading apostrophe. */
export function csv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

// OWASP, "CSV Injection": a formula starts with =, +, - or @ (also in full width), a tab or a line end. Programs that
// separate cells by semicolons or tabs start a new cell after one, but not within quotes.
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
const NEEDS_QUOTES = /[",;\t\r\n]/;
/** Most texts. */
const PLAIN = /^[0-9A-Za-z]*$/;

/** The rules of {@link csv} as regular expressions. They mean the same to PostgreSQL. */
export const CELL_RULES = {
  plain: PLAIN.source,
  formula: FORMULA.source,
  needsQuotes: NEEDS_QUOTES.source,
};

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return cell.toString();
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
