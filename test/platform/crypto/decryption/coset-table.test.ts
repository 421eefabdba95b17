import { describe, expect, it } from '@jest/globals';
import { CosetTable } from '../../../../src/platform/crypto/decryption/coset-table.js';

describe('a coset table', () => {
  it('finds as many entries as it was made for', () => {
    const table = new CosetTable(1000);
    const element = (value: number) => (BigInt(value) * 0x9e3779b97f4a7c15n) << 1n;
    for (let value = 0; value < 1000; value += 1) table.put(element(value), value);
    for (let value = 0; value < 1000; value += 1) expect(table.get(element(value))).toContain(value);
    expect(table.get(element(1000))).toEqual([]);
  });

  it('returns every value of a fingerprint that several elements share', () => {
    const table = new CosetTable(16);
    const [one, other] = [12_346n, 12_346n + 2n ** 100n];
    table.put(one, 1);
    table.put(other, 2);
    expect(table.get(one)).toEqual([1, 2]);
    expect(table.get(other)).toEqual([1, 2]);
  });

  it('has at most 2^19 entries', () => {
    expect(() => new CosetTable(2 ** 19 + 1)).toThrow(RangeError);
  });
});
