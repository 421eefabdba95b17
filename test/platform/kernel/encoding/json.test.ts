import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { fc } from '../../../kit/properties.js';
import {
  endOfCanonicalJson,
  memberOfCanonicalJson,
} from '../../../../src/platform/kernel/encoding/canonical-text.js';
import {
  canonicalJson,
  canonicalPieces,
  isJsonObject,
  parseUnambiguousJson,
  type JsonValue,
} from '../../../../src/platform/kernel/encoding/json.js';

describe('canonical JSON', () => {
  // RFC 8785 sections 3.2.2 and 3.2.3.
  it('matches the specification', () => {
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

  it('preserves the meaning, and is the same for any member order', () => {
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

  it('is the same for sorted and unsorted members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(canonicalize(value)).toBe(text);
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
      }),
    );
  });

  it('is the same when it is written in pieces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat({ max: 3 }), (value, levels) => {
        const pieces = [...canonicalPieces(value as JsonValue, levels)];
        expect(pieces.join('')).toBe(canonicalJson(value as JsonValue));
      }),
    );
    // Chunks of a long text end between characters.
    for (const before of ['', 'a']) {
      const text = `${before}${'😀"'.repeat(100_000)}`;
      const pieces = [...canonicalPieces([text])];
      expect(pieces.join('')).toBe(canonicalJson([text]));
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(150_000);
    }
  });

  it.each([[undefined], [Number.NaN], [Number.POSITIVE_INFINITY], ['\ud800'], [() => 0]])(
    'refuses %p',
    (value) => {
      expect(() => canonicalJson(value as JsonValue)).toThrow();
    },
  );
});

describe('text that is recognized as canonical JSON', () => {
  const endOf = (text: string) => endOfCanonicalJson(Buffer.from(text), 0);
  const plainName = fc.stringMatching(/^[a-z_]{1,8}$/);
  const { value: plainValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, false),
      fc.integer(),
      fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', '\\', '\n', ' ', '\u2028') }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(plainName, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  it('matches what canonical JSON writes for plain values', () => {
    fc.assert(
      fc.property(plainValue, (value) => {
        const text = canonicalJson(value);
        expect(endOf(`${text},`)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it('is never accepted if it is not canonical, for any insertion', () => {
    const written = fc.constantFrom(
      ...[
        '',
        ' ',
        '\n',
        ',',
        ':',
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
        '-',
        '0',
        '1',
        '.0',
        'e3',
        '\\u0061',
        '\\/',
      ],
      ...['"a":1,', '"a":1', 'é', '\u007f', '\u0000', 'true', '-0', '1.5', '12345678901234567'],
    );
    const change = fc.record({ at: fc.nat(), removed: fc.nat({ max: 2 }), written });
    fc.assert(
      fc.property(
        fc.oneof(plainValue, fc.jsonValue()),
        fc.array(change, { maxLength: 3 }),
        (value, changes) => {
          let text = canonicalJson(value as JsonValue);
          for (const { at, removed, written: more } of changes) {
            const place = at % (text.length + 1);
            text = text.slice(0, place) + more + text.slice(place + removed);
          }
          // Malformed text has no UTF-8 encoding for its lone surrogates.
          const bytes = Buffer.from(text.toWellFormed());
          const end = endOfCanonicalJson(bytes, 0);
          if (end < 0) return;
          const found = bytes.toString('utf8', 0, end);
          // A number may be longer than the expected text only where JSON ends it.
          expect(canonicalJson(parseUnambiguousJson(found) as JsonValue)).toBe(found);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ...[
      '1e3',
      '1.0',
      '-0',
      '01',
      '-',
      '+1',
      '1234567890123456',
      'nul',
      'True',
      '"\\u0061"',
      '"\\/"',
      '"\t"',
      '"',
    ],
    ...[
      '{"b":1,"a":2}',
      '{"a":1,"a":2}',
      '{"a":1,}',
      '{"a" :1}',
      '{ }',
      '[1, 2]',
      '[1,]',
      '{"é":1}',
      '{1:2}',
      '',
    ],
    ...['{"a":1', '[', '['.repeat(10_000)],
  ])('is not %j', (text) => {
    expect(endOf(text)).toBe(-1);
  });

  it('gives the position of each member', () => {
    fc.assert(
      fc.property(
        fc.dictionary(plainName, plainValue, { noNullPrototype: true }),
        plainName,
        (object, name) => {
          const text = canonicalJson(object);
          const bytes = Buffer.from(`${text}${name}`);
          const end = endOfCanonicalJson(bytes, 0);
          const at = memberOfCanonicalJson(bytes, 0, end, bytes.length);
          if (!Object.hasOwn(object, name)) expect(at).toBe(-1);
          else
            expect(bytes.toString('utf8', at, endOfCanonicalJson(bytes, at))).toBe(
              canonicalJson(object[name]!),
            );
        },
      ),
    );
  });
});

describe('unambiguous JSON', () => {
  it('accepts any text that JSON writes, with the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(parseUnambiguousJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('may be nested 64 levels deep, and no deeper', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(parseUnambiguousJson(nested(64))).toHaveLength(1);
    for (const levels of [65, 200_000])
      expect(() => parseUnambiguousJson(nested(levels))).toThrow('nested more than 64 levels deep');
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
    expect(() => parseUnambiguousJson(text)).toThrow('Duplicate member name');
  });

  it.each(['', '{', '{"a":1,}', '"'])('refuses %p, which is not JSON', (text) => {
    expect(() => parseUnambiguousJson(text)).toThrow(SyntaxError);
  });
});
