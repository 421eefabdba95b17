import { describe, expect, it } from '@jest/globals';
import {
  isLong,
  JsonText,
  jsonPieces,
  stringify,
} from '../../../../src/platform/kernel/encoding/json-text.js';
import { fc } from '../../../kit/properties.js';

describe('JSON in pieces', () => {
  it('is the text that is written at once, for any value', () => {
    const { value: any } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.jsonValue(),
        fc.constantFrom(undefined, new Date(0), new JsonText('{"text":[1]}'), () => 0, '\ud800', Number.NaN),
        fc.array(tie('value'), { maxLength: 30 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(any, (value) => {
        expect([...jsonPieces({ value })].join('')).toBe(stringify({ value }));
      }),
    );
  });

  it('has short pieces for a disclosed result', () => {
    const records = Array.from({ length: 3_901 }, (_, slot) => ({ slot, proof: { lo: 'a'.repeat(600) } }));
    const answer = { data: { disclosure: { result: { records, content: JSON.stringify(records) } } } };
    const pieces = [...jsonPieces(answer)];
    expect(pieces.join('')).toBe(JSON.stringify(answer));
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000);
  });
});

describe('a value whose JSON is long', () => {
  it.each([
    ['a long list', { result: { records: Array.from({ length: 1_001 }, () => 0) } }],
    ['a long string', { nodes: [{ result: { content: 'a'.repeat(65_537) } }] }],
  ])('has %s', (_, value) => {
    expect(isLong(value)).toBe(true);
  });

  it.each([
    ['a page', { nodes: Array.from({ length: 200 }, (_, n) => ({ id: `txn_${n}`, blockTime: null })) }],
    ['text that is written already', { nodes: new JsonText('a'.repeat(100_000)) }],
    ['nothing', {}],
  ])('is not %s', (_, value) => {
    expect(isLong(value)).toBe(false);
  });
});
