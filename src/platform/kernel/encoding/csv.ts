export type Cell = string | number | null | undefined;

/** RFC 4180, with a line end after every row. An apostrophe precedes text that a spreadsheet would run as a formula. */
export function csv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

// OWASP, "CSV Injection": a formula starts with =, +, - or @ (also in full width), a tab or a line end.
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
/**
 * A formula inside of a text. Programs that separate cells by semicolons or tabs, as where a comma is the decimal sign, start a
 * cell after each of them, and a row after a line end. For them, quotes count only at the beginning of a cell.
 */
const INNER_FORMULA = /([;\t\r\n]"*)(?=[=+\-@＝＋－＠])/;
const EVERY_INNER_FORMULA = new RegExp(INNER_FORMULA, 'g');
const NEEDS_QUOTES = /[",;\t\r\n]/;
/** Matches most texts. */
const PLAIN = /^[0-9A-Za-z]*$/;

/** The rules of {@link csv} as regular expressions. They mean the same to PostgreSQL. */
export const CELL_RULES = {
  plain: PLAIN.source,
  formula: FORMULA.source,
  innerFormula: INNER_FORMULA.source,
  needsQuotes: NEEDS_QUOTES.source,
};

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return cell.toString();
  const defused = cell.replace(EVERY_INNER_FORMULA, "$1'");
  const text = FORMULA.test(cell) ? `'${defused}` : defused;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
