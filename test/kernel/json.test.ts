import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { fc } from '../kit/properties.js';
import { canonicalJson, isJsonObject, parseUnambiguousJson, type JsonValue } from '../../src/kernel/json.js';

describe('canonical JSON', () => {
  // RFC 8785 sections 3.2.2 and 3.2.3.
  it('is that of the specification', () => {
    const numbers = [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27];
    const literals = [null, true, false];
    const string = '€$\u000F\u000aA\'\u0042\u0022\u005c\\"/';
    expect(canonicalJson({ numbers, string, literals })).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const sorted = ['\r', '1', '\u0080', 'ö', '€', '😀', '\ufb33'];
    const members = Object.fromEntries([...sorted].reverse().map((name) => [name, 0]));
    expect(canonicalJson(members)).toBe(`{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`);
  });

  it('means the same, and is one text whatever the order of members', () => {
    const reversed = (value: JsonValue): JsonValue => {
      if (Array.isArray(value)) return value.map((item) => reversed(item as JsonValue));
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value as JsonValue))).toBe(text);
      }),
    );
  });

  it('is the same for members that are in order already as for those that are not', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(canonicalize(value)).toBe(text);
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
      }),
    );
  });

  it.each([[undefined], [Number.NaN], [Number.POSITIVE_INFINITY], ['\ud800'], [() => 0]])(
    'does not exist of %p',
    (value) => {
      expect(() => canonicalJson(value as JsonValue)).toThrow();
    },
  );
});

describe('unambiguous JSON', () => {
  it('is every text that JSON writes, with the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(parseUnambiguousJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('may be nested more deeply than the stack', () => {
    const deep = 200_000;
    expect(parseUnambiguousJson('['.repeat(deep) + ']'.repeat(deep))).toHaveLength(1);
  });

  it.each([
    '{"a":1,"a":1}',
    '{"\\\\":0,"\\\\":1}',
    '{"a":{"b":1,"c":[{}],"b":2}}',
    '[{"a":"}","b":"\\"{","a":0}]',
    '{"a":1,"\\u0061":2}',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
  ])('is not %s, which names a member twice', (text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
    expect(() => parseUnambiguousJson(text)).toThrow('named twice');
  });

  it.each(['', '{', '{"a":1,}', '"'])('is not %p, which is no JSON', (text) => {
    expect(() => parseUnambiguousJson(text)).toThrow(SyntaxError);
  });
});
