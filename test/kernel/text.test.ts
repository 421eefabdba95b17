import { describe, expect, it } from '@jest/globals';
import { fc } from '../kit/properties.js';
import { isLucarneError } from '../../src/kernel/errors.js';
import { parseOptionalText, parseText } from '../../src/kernel/text.js';

describe('text of a bounded length', () => {
  it('is counted in code points, and given back as it came', () => {
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

  it('is what can be stored and read again, whatever was sent', () => {
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

  it('may be absent where it is optional, and only there', () => {
    expect([undefined, null].map((value) => parseOptionalText('note', value, 5))).toEqual([null, null]);
    expect(() => parseOptionalText('note', '', 5)).toThrow('note must be text');
  });
});
