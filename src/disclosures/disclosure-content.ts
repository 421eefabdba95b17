import { unreachable } from '../kernel/unreachable.js';
import type { DisclosedRecord } from './disclosed-record.js';
import type { DisclosureFormat } from './disclosure-rules.js';
import type { DisclosureField } from './disclosure-scope.js';

/** The records as text: RFC 4180 CSV with a header, or JSON. A function of the records alone, so it can be checked. */
export function serializeRecords(
  format: DisclosureFormat,
  records: readonly DisclosedRecord[],
  fields: readonly DisclosureField[],
): string {
  switch (format) {
    case 'json':
      return JSON.stringify(records);
    case 'csv':
      return csv([
        [...COLUMNS, ...fields, ...MARKS],
        ...records.map((record) => [
          ...COLUMNS.map((column) => record[column]),
          ...fields.map((field) => record[field]),
          ...MARKS.map((mark) => record[mark]?.join(' ')),
        ]),
      ]);
    default:
      return unreachable(format);
  }
}

const COLUMNS = [
  'transactionId',
  'networkTransactionId',
  'type',
  'slot',
  'blockTime',
  'sourceAccount',
  'destinationAccount',
  'decimals',
] as const;
const MARKS = ['public', 'undecryptable', 'unavailable'] as const;

export type Cell = string | number | null | undefined;

/** RFC 4180 with a line end after every row. Text that a spreadsheet would take for a formula gets an apostrophe. */
export function csv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

// OWASP, "CSV Injection": =, +, -, @, also in full width, tab and line ends begin a formula; a program that takes a
// semicolon or a tab for the separator begins a cell behind it, but not within quotes.
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** A cell of {@link csv}. */
export function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return cell.toString();
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
