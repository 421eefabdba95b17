import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import { csv } from '../../../../src/platform/kernel/encoding/csv.js';

/** Parses RFC 4180 strictly: cells are separated by commas, rows by CRLF, and quotes are doubled. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length;) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += 1) {
        if (text[at] === '"') at += 1;
        cell += text[at] ?? '';
      }
      at += 1;
    } else while (text[at] !== ',' && !text.startsWith('\r\n', at)) cell += text[at++] ?? '';
    row.push(cell);
    if (text[at] === ',') at += 1;
    else {
      expect(text.slice(at, at + 2)).toBe('\r\n');
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

/** The cells in a spreadsheet with another separator: quotes count only at the beginning of a cell. */
function openedWith(separator: string, text: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at += 1) {
        if (text[at] === '"') at += 1;
        cell += text[at] ?? '';
      }
      at += 1;
    }
    for (; at < text.length && text[at] !== separator && !/[\r\n]/.test(text[at]!); at += 1)
      cell += text[at]!;
    cells.push(cell);
  }
  return cells;
}

const hostile = fc.string({
  unit: fc.constantFrom('=', '+', '-', '@', '＝', '"', ',', ';', '\t', '\r', '\n', 'a', ' '),
});

describe('CSV', () => {
  it('preserves every cell, except for the apostrophes before formulas', () => {
    fc.assert(
      fc.property(fc.array(fc.array(hostile, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (rows) => {
        const read = parse(csv(rows));
        expect(read.map((row) => row.map((cell) => cell.replaceAll("'", '')))).toEqual(rows);
      }),
    );
  });

  it('has no cell that a spreadsheet would execute, separated by commas, semicolons or tabs', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 2 }), (row) => {
        for (const cell of parse(csv([row]))[0] ?? []) expect(cell).not.toMatch(/^[=+\-@＝\t\r\n]/);
        for (const separator of [';', '\t'])
          for (const cell of openedWith(separator, csv([row]))) expect(cell).not.toMatch(/^[=+\-@＝]/);
      }),
    );
  });

  it('executes no formula split over two cells where a comma is the decimal sign', () => {
    const [name, reason] = [`x;=cmd|' /C calc'!A0&`, ';'];
    const row = csv([['usr_1', name, 'case', reason]]);
    // There, cells are separated by semicolons, and our quotes are not at the beginning of a cell.
    expect(openedWith(';', row).slice(0, 2)).toEqual(['usr_1,"x', `'=cmd|' /C calc'!A0&",case,"`]);
  });

  it('writes numbers plainly, including negative ones, and nothing for a missing value', () => {
    expect(csv([[1, -2, 0.5, null, undefined, '']])).toBe('1,-2,0.5,,,\r\n');
  });

  it('is empty without rows', () => {
    expect(csv([])).toBe('');
  });
});
