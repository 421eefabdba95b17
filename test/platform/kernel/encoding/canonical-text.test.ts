import { describe, expect, it } from '@jest/globals';
import { base64 } from '../../../../src/platform/kernel/encoding/bytes.js';
import { decodeBase64 } from '../../../../src/platform/kernel/encoding/canonical-text.js';
import { fc } from '../../../kit/properties.js';

describe('base64 within other bytes', () => {
  /** Between two characters that are also valid base64. */
  const within = (text: string) => {
    const block = Buffer.from(`A${text}A`, 'latin1');
    return decodeBase64(block, 1, block.length - 1);
  };

  it('is decoded to what was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) =>
        expect(within(base64.encode(bytes))).toEqual(bytes),
      ),
    );
  });

  it('is refused exactly when base64 alone is: stray bits, padding, spaces, other alphabets', () => {
    const character = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('A', 'Q', 'g', 'w', 'Z', '0', '9', '/', '+') },
      { weight: 3, arbitrary: fc.constant('=') },
      { weight: 1, arbitrary: fc.constantFrom('-', '_', ' ', '\n', '"', '\u0000', '\u00ff') },
    );
    let refused = 0;
    fc.assert(
      fc.property(fc.array(character, { maxLength: 9 }), (characters) => {
        const text = characters.join('');
        const expected = base64.decode(text);
        if (!expected) refused += 1;
        expect(within(text)).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('is not read past the end of the bytes', () => {
    const block = Buffer.from('AAAA');
    expect(decodeBase64(block, 0, 8)).toBeUndefined();
    expect(decodeBase64(block, 4, 0)).toBeUndefined();
  });
});
