import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { printable, wrap } from '../../../src/domain/reports/pdf/pdf-text.js';

/** Like a font for Western Europe. */
const holds = (character: string) => /^[ -~¡-ÿ€„“”—]$/u.test(character);

describe('text of a PDF document', () => {
  it.each([
    ['Zoë Müller — “Crédit”, 5 €', 'Zoë Müller — “Crédit”, 5 €', 0],
    ['Őrségi Łukasz', 'Orségi ?ukasz', 2],
    ['東京', '??', 2],
    ['a\n\tb\u0000c', 'a b?c', 1],
    ['ﬁn', 'fin', 1],
  ])('%j is shown as the fonts can', (text, shown, replaced) => {
    expect(printable(text, holds)).toEqual({ text: shown, replaced });
  });

  it('is always shown in characters that the fonts have', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = printable(text, holds);
        expect(printable(once.text, holds)).toEqual({ text: once.text, replaced: 0 });
      }),
    );
  });

  it('is broken into lines that fit, and loses only white space', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'W', '.', ' '), maxLength: 200 }),
        fc.integer({ min: 3, max: 40 }),
        (text, width) => {
          const widthOf = (character: string) => (character === 'W' ? 3 : 1);
          const lines = wrap(text, width, widthOf);
          // A space at the end takes no width.
          for (const line of lines)
            expect(
              Array.from(line.replace(/ $/, '')).reduce((sum, each) => sum + widthOf(each), 0),
            ).toBeLessThanOrEqual(width);
          expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
          // Separate words stay separate.
          expect(lines.join('').split(/ +/).filter(Boolean)).toEqual(text.split(/ +/).filter(Boolean));
        },
      ),
    );
  });
});
