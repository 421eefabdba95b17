import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import { isDeeperThan } from '../../../../src/platform/kernel/encoding/json.js';
import {
  BodyTooLong,
  DEFAULT_JSON_BOUNDS,
  JsonOutOfBounds,
  parseForeignJson,
  readJsonText,
} from '../../../../src/platform/kernel/encoding/foreign-json.js';

/** Lists, objects, and the values in them. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + countOf(item), 1);
}

describe('JSON from other systems', () => {
  it('is parsed like JSON, for any content', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(parseForeignJson(text, { maxDepth: 1_000 })).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is refused exactly when it is nested too deeply', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, maxDepth) => {
        const parse = () => parseForeignJson(JSON.stringify(value), { maxDepth });
        if (isDeeperThan(value, maxDepth)) expect(parse).toThrow(JsonOutOfBounds);
        else expect(parse()).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is refused exactly when it has too many values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 30 }), (value, maxValues) => {
        const count = countOf(JSON.parse(JSON.stringify(value)));
        const parse = () => parseForeignJson(JSON.stringify(value), { maxValues });
        // The count from the text is correct within a factor of two: a list counts once for itself.
        if (count > 2 * maxValues) expect(parse).toThrow(JsonOutOfBounds);
        if (2 * count <= maxValues) expect(parse).not.toThrow();
      }),
    );
  });

  it('may hold brackets, commas and escaped quotes in its strings', () => {
    const text = JSON.stringify({ text: '[[[[,,,,"[[\\"{{{' });
    expect(parseForeignJson(text, { maxDepth: 1, maxValues: 2 })).toEqual(JSON.parse(text));
  });

  it.each([
    ['millions of levels', '['.repeat(4_000_000)],
    ['levels of objects', '{"a":'.repeat(1_000)],
    ['more values than anything has', `[${'{},'.repeat(200_000)}{}]`],
  ])('is refused before it is parsed: %s', (_, text) => {
    expect(() => parseForeignJson(text)).toThrow(JsonOutOfBounds);
  });

  it.each(['', '{', '"', '"\\', '[1,]', 'nope', ']]]]'])(
    'is a syntax error where it is not JSON: %p',
    (text) => {
      expect(() => parseForeignJson(text)).toThrow(SyntaxError);
    },
  );

  it('has limits that every real response stays below', () => {
    expect(DEFAULT_JSON_BOUNDS).toEqual({ maxDepth: 64, maxValues: 100_000 });
  });
});

describe('a response body', () => {
  async function* pieces(...sizes: number[]) {
    for (const size of sizes) yield await Promise.resolve(new Uint8Array(size).fill(0x20));
  }

  it('is read completely', async () => {
    expect(await readJsonText(pieces(3, 4), { maxBytes: 7 })).toBe(' '.repeat(7));
    expect(await readJsonText(null, { maxBytes: 7 })).toBe('');
  });

  it('is the same text with the same limits for any split into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.array(fc.nat({ max: 5 })),
        fc.integer({ min: 1, max: 8 }),
        async (value, cuts, maxDepth) => {
          const text = JSON.stringify(value);
          const read = readJsonText(cut(text, cuts), { maxBytes: 1e6, maxDepth, maxValues: 20 });
          const whole = () => parseForeignJson(text, { maxDepth, maxValues: 20 });
          const [outcome] = await Promise.allSettled([read]);
          if (outcome.status === 'rejected') expect(whole).toThrow(JsonOutOfBounds);
          else expect([outcome.value, whole()]).toEqual([text, JSON.parse(text)]);
        },
      ),
    );
  });

  /** Its bytes in chunks of these lengths, and one chunk with the rest. */
  async function* cut(text: string, lengths: readonly number[]) {
    let bytes = Buffer.from(text);
    for (const length of [...lengths, bytes.length]) {
      yield await Promise.resolve(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
    }
  }

  it.each([
    ['it is longer than it may be', BodyTooLong, ' '.repeat(10), 3],
    ['it is nested more deeply than it may be', JsonOutOfBounds, '[[[', 2],
    ['it has more values than it may have', JsonOutOfBounds, '0,0,', 3],
  ])('is not read further when %s', async (_, error, piece, expected) => {
    let count = 0;
    async function* endless() {
      for (;;) {
        count += 1;
        yield await Promise.resolve(Buffer.from(piece));
      }
    }
    const bounds = { maxBytes: 25, maxDepth: 5, maxValues: 6 };
    await expect(readJsonText(endless(), bounds)).rejects.toThrow(error);
    expect(count).toBe(expected);
  });

  it.each([
    ['was read', 6, true],
    ['was refused', 3, false],
  ])('frees the memory of its pieces once it %s, and of nothing beside them', async (_, maxBytes, isRead) => {
    const alone = [Uint8Array.from(Buffer.from('[1')), Uint8Array.from(Buffer.from(',2'))];
    const shared = new Uint8Array(Uint8Array.from(Buffer.from('3]')).buffer, 1);
    async function* body() {
      yield* await Promise.resolve([...alone, shared]);
    }
    const [outcome] = await Promise.allSettled([readJsonText(body(), { maxBytes })]);
    expect(outcome).toMatchObject(isRead ? { value: '[1,2]' } : { reason: expect.any(BodyTooLong) });
    expect(alone.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0]);
    expect(shared.buffer.byteLength).toBe(2);
  });
});
