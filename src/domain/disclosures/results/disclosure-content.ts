import { csv } from '../../../platform/kernel/encoding/csv.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';
import type { DisclosedRecord } from './disclosed-record.js';
import type { DisclosureFormat } from '../policies/disclosure-rules.js';
import type { DisclosureField } from '../disclosure-fields.js';

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
