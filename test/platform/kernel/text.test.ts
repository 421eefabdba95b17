import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { isLucarneError } from '../../../src/platform/kernel/errors.js';
import { parseInteger, parseName, parseOptionalText, parseText } from '../../../src/platform/kernel/text.js';

describe('text of a bounded length', () => {
  it('is counted in code points, and returned unchanged', () => {
    expect(parseText('name', '🪟🪟🪟', 3)).toBe('🪟🪟🪟');
    expect(() => parseText('name', '🪟🪟🪟🪟', 3)).toThrow('name must be text of 1 to 3 characters.');
    expect(parseText('name', ' a ', 3)).toBe(' a ');
  });

  it.each([
    [''],
    [' '],
    ['\u3000\n'],
    ['a\0'],
    ['\ud83e'],
    ['\udd1f\ud83e'],
    [7],
    [null],
    [undefined],
    [['a']],
  ])('is not %j', (value) => {
    expect(() => parseText('name', value, 10)).toThrow('name must be text');
  });

  it('can always be stored and read again', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom('\ud800', '\udc00', '\0', ' ', 'a') }),
        ),
        (text) => {
          let kept: string;
          try {
            kept = parseText('name', text, 20);
          } catch (thrown) {
            return isLucarneError(thrown) && thrown.code === 'BAD_USER_INPUT';
          }
          return kept === text && Buffer.from(text).toString() === text && !text.includes('\0');
        },
      ),
    );
  });

  it('may be omitted only if it is optional', () => {
    expect([undefined, null].map((value) => parseOptionalText('note', value, 5))).toEqual([null, null]);
    expect(() => parseOptionalText('note', '', 5)).toThrow('note must be text');
  });
});

describe('a name', () => {
  it.each([
    ...['Zoë 🪟', 'علي', 'שלום\u200f', 'क्‍ष', ' a ', '=1+1', '/JavaScript (x)'],
    // Joiners, selectors and tags that shape what stands before them.
    ...['می\u200cخواهم', '👩‍🚀', '👩‍❤️‍👩', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '葛\u{e0100}'],
  ])('may be %j', (name) => {
    expect(parseName('name', name, 20)).toBe(name);
  });

  it.each([
    ['a second line', 'Ann\nYour account is locked'],
    ['a second line', 'Ann\u2028Bob'],
    ['a control character', 'a\u001b[2J'],
    ['a control character', 'a\tb'],
    ['an override of direction', 'invoice\u202efdp.exe'],
    ['an isolate', '\u2067a'],
    ['nothing that is seen', '\u200b\u2060'],
    ['nothing that is seen', '\u2800'],
    ['a space of no width', 'Anna\u200b Owner'],
    ['a joiner', 'An\u200dna Owner'],
    ['a joiner', 'Anna Owner\u2060'],
    ['a soft hyphen', 'An\u00adna Owner'],
    ['a mark of direction', '\u200eAnna Owner'],
    ['a selector', 'Anna\ufe0f Owner'],
    ['a letter without a form', 'Anna\u3164Owner'],
    ['a tag', 'Anna\u{e0041} Owner'],
  ])('is refused with %s: %j', (_, name) => {
    expect(() => parseName('name', name, 64)).toThrow('name must be text of 1 to 64 characters on one line');
  });
});

describe('a whole number in a range', () => {
  it('accepts every integer of the range, and no other value', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.nat(),
        fc.oneof(fc.anything(), fc.double(), fc.integer()),
        (minimum, span, value) => {
          const maximum = minimum + span;
          const fits =
            typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
          const parse = () => parseInteger('count', value, minimum, maximum);
          if (fits) expect(parse()).toBe(value);
          else expect(parse).toThrow(`count must be an integer from ${minimum} to ${maximum}.`);
        },
      ),
    );
  });

  it('includes both bounds', () => {
    expect([1, 200].map((value) => parseInteger('limit', value, 1, 200))).toEqual([1, 200]);
    for (const value of [0, 201, 1.5, '7', Number.NaN, null]) {
      expect(() => parseInteger('limit', value, 1, 200)).toThrow('limit must be');
    }
  });
});
