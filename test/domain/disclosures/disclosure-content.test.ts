import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import type { DisclosedRecord } from '../../../src/domain/disclosures/results/disclosed-record.js';
import { csv } from '../../../src/platform/kernel/encoding/csv.js';
import { serializeRecords } from '../../../src/domain/disclosures/results/disclosure-content.js';

/** A parser of RFC 4180, written from its grammar and independent of the writer. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let position = 0;
  while (position < text.length) {
    let cell = '';
    if (text[position] === '"') {
      position += 1;
      while (text[position] !== '"' || text[position + 1] === '"') {
        if (text[position] === '"') position += 1;
        cell += text.charAt(position);
        position += 1;
      }
      position += 1;
    } else {
      while (position < text.length && text[position] !== ',' && text[position] !== '\r') {
        cell += text.charAt(position);
        position += 1;
      }
    }
    row.push(cell);
    if (text[position] === ',') {
      position += 1;
      continue;
    }
    expect(text.slice(position, position + 2)).toBe('\r\n');
    position += 2;
    rows.push(row);
    row = [];
  }
  return rows;
}

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', ',', ';', '\r', '\n', '=', '+', '-', '@', '＝', '\t', "'", 'a') }),
);

/** With an apostrophe before each formula: at the beginning, and where another program would begin a cell. */
const defused = (cell: string) =>
  (/^[=+\-@＝＋－＠\t\r\n]/.test(cell) ? "'" : '') +
  cell.replaceAll(/([;\t\r\n]"*)(?=[=+\-@＝＋－＠])/g, "$1'");

describe('CSV content', () => {
  it('can be parsed by any RFC 4180 reader, for any cell content', () => {
    fc.assert(
      fc.property(fc.array(fc.array(hostile, { minLength: 1 })), (rows) => {
        const read = readCsv(csv(rows));
        expect(read).toEqual(rows.map((row) => row.map((cell) => defused(cell))));
      }),
    );
  });

  it('never has a cell that a spreadsheet treats as a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.array(hostile, { minLength: 1 })), (rows) => {
        for (const cell of readCsv(csv(rows)).flat()) expect(cell).not.toMatch(/^[=+\-@＝＋－＠\t\r\n]/);
      }),
    );
  });

  it('runs no formula after another kind of separator, which quotes do not protect', () => {
    expect(csv([['a;=1', 'b\t=1', 'c']])).toBe(`"a;'=1","b\t'=1",c\r\n`);
  });

  it('leaves numbers unchanged, including negative ones, and unset cells empty', () => {
    expect(csv([[-5, 0, null, undefined, 'x']])).toBe('-5,0,,,x\r\n');
  });

  it('has a header with the requested fields, and one row per record', () => {
    const record: DisclosedRecord = {
      transactionId: 'txn_1',
      networkTransactionId: 'sig',
      type: 'confidential_transfer',
      slot: 7,
      blockTime: null,
      sourceAccount: 'S',
      destinationAccount: 'D',
      decimals: 6,
      proof: null,
      amount: '18446744073709551615',
      undecryptable: [],
    };
    expect(serializeRecords('csv', [record], ['amount'])).toBe(
      'transactionId,networkTransactionId,type,slot,blockTime,sourceAccount,destinationAccount,decimals,amount,public,undecryptable,unavailable\r\n' +
        'txn_1,sig,confidential_transfer,7,,S,D,6,18446744073709551615,,,\r\n',
    );
    expect(serializeRecords('csv', [], ['amount', 'fee'])).toMatch(/,decimals,amount,fee,public,/);
    expect(JSON.parse(serializeRecords('json', [record], ['amount']))).toEqual([record]);
  });
});
