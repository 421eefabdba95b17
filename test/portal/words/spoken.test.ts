import { describe, expect, it } from '@jest/globals';
import { hashWritten, spokenGroups } from '../../../portal/src/screens/log/spoken.ts';
import { fc } from '../../kit/properties.js';

const base64 = (...bytes: readonly number[]) => Buffer.from(bytes).toString('base64');
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('a root as words', () => {
  it('matches the published examples', () => {
    expect(spokenGroups(base64(127, 0, 0, 1))).toEqual(['lusab babad']);
    expect(spokenGroups(base64(63, 84, 220, 193, 12, 110, 110, 204))).toEqual(['gutih tugad budov kuras']);
  });

  it('is four groups of four words, unique to the root', () => {
    fc.assert(
      fc.property(hash, hash, (one, other) => {
        const [a, b] = [base64(...one), base64(...other)];
        expect(spokenGroups(a).map((group) => group.split(' ').length)).toEqual([4, 4, 4, 4]);
        expect(spokenGroups(a).join() === spokenGroups(b).join()).toBe(a === b);
      }),
    );
  });

  it('is accepted as text and as words, with any spacing', () => {
    fc.assert(
      fc.property(hash, (bytes) => {
        const root = base64(...bytes);
        const words = spokenGroups(root).join('\n');
        for (const written of [root, ` ${root} `, words, words.toUpperCase(), words.replaceAll(' ', '-')])
          expect(hashWritten(written)).toBe(root);
        expect(hashWritten(words.slice(1))).toBeUndefined();
        expect(hashWritten(words.replace(/^./, 'x'))).toBeUndefined();
        expect(hashWritten(root.slice(1))).toBeUndefined();
      }),
    );
  });
});
