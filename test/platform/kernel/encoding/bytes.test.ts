import { describe, expect, it } from '@jest/globals';
import * as forBrowsers from '../../../../src/platform/kernel/encoding/bytes.browser.js';
import * as forNode from '../../../../src/platform/kernel/encoding/bytes.js';
import { fc } from '../../../kit/properties.js';

describe('bytes as text, in browsers and in Node.js', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });

  it('are written the same, and parsed back', () => {
    fc.assert(
      fc.property(bytes, (some) => {
        const [text, length] = [forNode.base64.encode(some), some.length];
        expect(forBrowsers.base64.encode(some)).toBe(text);
        expect(forBrowsers.base64.decode(text)).toEqual(some);
        expect(forBrowsers.hex.encode(some)).toBe(forNode.hex.encode(some));
        const name = forNode.base58.encode(some);
        expect(forBrowsers.base58.encode(some)).toBe(name);
        expect(forBrowsers.base58.decode(name, length)).toEqual(forNode.base58.decode(name, length));
      }),
    );
  });

  it('are parsed only from standard, padded, canonical base64', () => {
    const almost = bytes.chain((some) =>
      fc.constantFrom(
        ...['', ' ', '\n', '=', '==', '\0', 'é', '-', '_', 'A'].flatMap((extra) => {
          const text = forNode.base64.encode(some);
          return [text + extra, extra + text, text.replace(/=$/, extra), text.replace('/', extra)];
        }),
      ),
    );
    fc.assert(
      fc.property(fc.oneof(almost, fc.string()), (text) => {
        expect(forBrowsers.base64.decode(text)).toEqual(forNode.base64.decode(text));
      }),
      { numRuns: 500 },
    );
  });
});
