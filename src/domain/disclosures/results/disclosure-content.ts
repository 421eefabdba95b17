import { csv } from '../../../platform/kernel/encoding/csv.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';
import type { DisclosedRecord } from './disclosed-record.js';
import type { DisclosureFormat } from '../policies/disclosure-rules.js';
import type { DisclosureField } from '../disclosure-fields.js';

/** The records as text: RFC 4180 CSV with a header, or JSON. The text depends only on the records, so it can be checked. */
export const serializeRecords = (...content: Parameters<typeof contentPieces>): string =>
  [...contentPieces(...content)].join('');

/** The text of {@link serializeRecords} in pieces, one for each record. */
export function* contentPieces(
  format: DisclosureFormat,
  records: readonly DisclosedRecord[],
  fields: readonly DisclosureField[],
): Generator<string, void, undefined> {
  switch (format) {
    case 'json':
      yield '[';
      for (const [index, record] of records.entries())
        yield `${index === 0 ? '' : ','}${JSON.stringify(record)}`;
      yield ']';
      return;
    case 'csv':
      yield csv([[...COLUMNS, ...fields, ...MARKS]]);
      for (const record of records)
        yield csv([
          [
            ...COLUMNS.map((column) => record[column]),
            ...fields.map((field) => record[field]),
            ...MARKS.map((mark) => record[mark]?.join(' ')),
          ],
        ]);
      return;
    default:
      unreachable(format);
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
