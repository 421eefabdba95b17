import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import { csv } from '../../../../src/platform/kernel/encoding/csv.js';

/** Reads RFC 4180 as a strict program does: cells are separated by commas, rows by CRLF, and quotes double. */
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

const hostile = fc.string({
  unit: fc.constantFrom('=', '+', '-', '@', '＝', '"', ',', ';', '\t', '\r', '\n', 'a', ' '),
});

describe('CSV', () => {
  it('gives back every cell, except for the apostrophe before a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.array(hostile, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (rows) => {
        const read = parse(csv(rows));
        expect(read.map((row) => row.map((cell) => cell.replace(/^'/, '')))).toEqual(rows);
      }),
    );
  });

  it('has no cell that a spreadsheet would run, whether it separates cells by commas, semicolons or tabs', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 2 }), (row) => {
        for (const cell of parse(csv([row]))[0] ?? []) expect(cell).not.toMatch(/^[=+\-@＝\t\r\n]/);
        const unquoted = csv([row]).replace(/"(?:[^"]|"")*"/g, '""');
        expect(unquoted).not.toMatch(/[;\t]/);
      }),
    );
  });

  it('writes numbers plainly, negative ones too, and nothing for a missing value', () => {
    expect(csv([[1, -2, 0.5, null, undefined, '']])).toBe('1,-2,0.5,,,\r\n');
  });

  it('is empty without rows', () => {
    expect(csv([])).toBe('');
  });
});
