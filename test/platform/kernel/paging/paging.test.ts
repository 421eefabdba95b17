import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createSealer } from '../../../../src/platform/crypto/index.js';
import { fc } from '../../../kit/properties.js';
import { invalidMember, isLucarneError } from '../../../../src/platform/kernel/errors.js';
import { canonicalJson, type JsonValue } from '../../../../src/platform/kernel/encoding/json.js';
import { isStorable } from '../../../../src/platform/kernel/text.js';
import {
  cursorsFor,
  type PageInput,
  pageOf,
  parseLimit,
  parsePage,
} from '../../../../src/platform/kernel/paging/paging.js';

const filters = fc.jsonValue() as fc.Arbitrary<JsonValue>;
const storable = fc.string({ unit: 'binary' }).filter(isStorable);
const key = fc.oneof(storable, fc.maxSafeInteger());
const kindOf = (value: string | number) => typeof value as 'string' | 'number';

/** The error message for a cursor: always bad input for the parameter. */
function refusal(decode: () => unknown): string | undefined {
  try {
    decode();
    return undefined;
  } catch (thrown) {
    if (!isLucarneError(thrown) || thrown.code !== 'BAD_USER_INPUT') throw thrown;
    expect(thrown.members).toHaveLength(1);
    return thrown.message;
  }
}

describe('a cursor', () => {
  it('returns its key when parsed, and needs no escaping in a URL', () => {
    fc.assert(
      fc.property(filters, key, (filter, value) => {
        const cursors = cursorsFor('assets', filter);
        const cursor = cursors.encode(value);
        expect(encodeURIComponent(cursor)).toBe(cursor);
        expect(cursors.decode(kindOf(value), 'after', cursor)).toBe(value);
      }),
    );
  });

  it('returns its key if it is sealed, has the same length for any number, and opens with no other key', () => {
    const [one, other] = [createSealer(randomBytes(32)), createSealer(randomBytes(32))];
    const length = cursorsFor('reports', {}, one).encode(1).length;
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const cursors = cursorsFor('reports', {}, one);
        const cursor = cursors.encode(Math.abs(value));
        expect(cursors.decode('number', 'after', cursor)).toBe(Math.abs(value));
        expect(cursor).toHaveLength(length);
        for (const foreign of [cursorsFor('reports', {}, other), cursorsFor('reports', {})])
          expect(refusal(() => foreign.decode('number', 'after', cursor))).toBe(
            'after is not a cursor of this listing.',
          );
      }),
      { numRuns: 20 },
    );
  });

  it('is refused by another listing, and by the same one with other filters', () => {
    fc.assert(
      fc.property(filters, filters, key, (one, other, value) => {
        fc.pre(canonicalJson(one) !== canonicalJson(other));
        const cursor = cursorsFor('assets', [one]).encode(value);
        const decodeBy = (listing: string, filter: JsonValue) =>
          refusal(() => cursorsFor(listing, [filter]).decode(kindOf(value), 'after', cursor));
        expect(decodeBy('assets', one)).toBeUndefined();
        const message = 'after was returned by another listing or with other filters.';
        expect(decodeBy('transactions', one)).toBe(message);
        expect(decodeBy('assets', other)).toBe(message);
      }),
    );
  });

  it('is valid for any order of its filters', () => {
    const cursor = cursorsFor('transactions', { from: 'a', to: 'b' }).encode(7);
    expect(cursorsFor('transactions', { to: 'b', from: 'a' }).decode('number', 'after', cursor)).toBe(7);
  });

  it('is refused as bad input if it is not a cursor', () => {
    const cursors = cursorsFor('assets', {});
    const good = cursors.encode('ast_1');
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      // A valid beginning with any end, and a valid cursor with one changed character.
      fc.string({ unit: 'binary' }).map((end) => good.slice(0, 10) + end),
      fc.uint8Array().map((bytes) => good.slice(0, 11) + Buffer.from(bytes).toString('base64url')),
      fc
        .tuple(fc.nat(good.length - 1), fc.constantFrom('A', '-', '=', '\0', '\ud800'))
        .map(([index, character]) => good.slice(0, index) + character + good.slice(index + 1)),
    );
    fc.assert(
      fc.property(hostile, fc.constantFrom('string' as const, 'number' as const), (text, kind) => {
        const message = refusal(() => cursors.decode(kind, 'after', text));
        if (message === undefined) expect(typeof cursors.decode(kind, 'after', text)).toBe(kind);
        else expect(message).toMatch(/^after (is not a cursor of this listing|was returned by)/);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['a key of another kind', 'number', 'ast_1'],
    ['a key of another kind', 'string', 1],
    ['a number that is not whole', 'number', 1.5],
    ['a number past 2^53', 'number', 2 ** 60],
    ['a character that the database cannot hold', 'string', 'ast_\0'],
  ] as const)('is refused with %s', (_what, kind, value) => {
    const cursors = cursorsFor('assets', {});
    expect(refusal(() => cursors.decode(kind, 'after', cursors.encode(value)))).toMatch(/is not a cursor/);
  });

  it('has exactly one valid encoding', () => {
    const cursors = cursorsFor('assets', {});
    const cursor = cursors.encode('ast_1');
    for (const spelling of [`${cursor}=`, `${cursor}\n`, ` ${cursor}`, `${cursor}A`]) {
      expect(refusal(() => cursors.decode('string', 'after', spelling))).toBeDefined();
    }
  });
});

describe('a page', () => {
  it.each([
    [undefined, 50],
    [null, 50],
    [1, 1],
    [200, 200],
  ])('has, for the limit %p, at most %p rows', (asked, limit) => {
    expect(parseLimit('first', asked)).toBe(limit);
  });

  it.each([0, -1, 201, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the limit %p', (limit) => {
    expect(refusal(() => parseLimit('first', limit))).toBe('first must be an integer from 1 to 200.');
  });

  it('is parsed with its filters, and the invalid members are reported together', () => {
    const status = (value: string) => () => {
      if (value === 'open') return value;
      throw invalidMember('status', 'must be open');
    };
    const parse = (input: PageInput, value: string) =>
      parsePage(input, 'number', ({ status }) => cursorsFor('cases', { status }), { status: status(value) });
    const after = cursorsFor('cases', { status: 'open' }).encode(7);
    expect(parse({ first: 3, after }, 'open')).toMatchObject({ limit: 3, after: 7, status: 'open' });
    expect(parse({}, 'open')).toMatchObject({ limit: 50, after: undefined });
    const membersOf = (input: PageInput, value = 'open') => {
      try {
        parse(input, value);
      } catch (thrown) {
        return isLucarneError(thrown) ? thrown.members.map(({ member }) => member) : thrown;
      }
      return [];
    };
    expect(membersOf({ first: 0, after: '' })).toEqual(['first', 'after']);
    expect(membersOf({ first: 0, after: '' }, 'shut')).toEqual(['first', 'status']);
    expect(membersOf({ after: cursorsFor('cases', {}).encode(7) })).toEqual(['after']);
  });

  it('reads one extra row to find out whether another page follows', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 10 }), (rows, limit) => {
        const read = rows.slice(0, limit + 1);
        expect(pageOf(read, limit)).toEqual({
          rows: rows.slice(0, limit),
          hasNextPage: rows.length > limit,
        });
      }),
    );
  });
});
