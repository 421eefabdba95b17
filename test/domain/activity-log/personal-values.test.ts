import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { fc } from '../../kit/properties.js';
import {
  openPersonalValues,
  personal,
  type LogObject,
  type Salts,
} from '../../../src/domain/activity-log/index.js';
import {
  digestPersonalValues,
  Personal,
  type LogValue,
} from '../../../src/domain/activity-log/personal-values.js';
import type { JsonObject, JsonValue } from '../../../src/platform/kernel/encoding/json.js';
import { systemRandom } from '../../../src/platform/kernel/random.js';

// Member names with characters that a JSON pointer escapes, and names that objects inherit.
const name = fc.oneof(
  fc.constantFrom('a', 'a/b', 'a~b', '~1', '/', '', '__proto__', 'constructor', '0'),
  fc.string({ maxLength: 3 }),
);
const { value } = fc.letrec<{ value: LogValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 7),
    fc.string(),
    fc.string().map(personal),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));
const object: fc.Arbitrary<LogObject> = fc.dictionary(name, value);

function plain(marked: LogValue): JsonValue {
  if (marked instanceof Personal) return marked.value;
  if (Array.isArray(marked)) return marked.map((item) => plain(item as LogValue));
  if (typeof marked !== 'object' || marked === null) return marked;
  return Object.fromEntries(
    Object.entries(marked as LogObject).map(([member, inner]) => [member, plain(inner)]),
  );
}

/** The value at a JSON pointer (RFC 6901). */
function at(document: JsonObject, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((current, part) => (current as Record<string, unknown>)[part], document);
}

function personalsIn(marked: LogValue): number {
  if (marked instanceof Personal) return 1;
  if (typeof marked !== 'object' || marked === null) return 0;
  return Object.values(marked).reduce<number>((sum, inner) => sum + personalsIn(inner), 0);
}

describe('personal values', () => {
  it('are restored to what was written, in any position', () => {
    fc.assert(
      fc.property(object, (written) => {
        const { entry, salts } = digestPersonalValues(written, systemRandom);
        // As the database returns them.
        const stored = JSON.parse(JSON.stringify([entry, salts])) as [JsonObject, Salts];
        expect(openPersonalValues(...stored)).toEqual(plain(written));
        expect(Object.keys(salts)).toHaveLength(personalsIn(written));
      }),
    );
  });

  it('are stored as the digest of salt and value, at the pointer that names the salt', () => {
    fc.assert(
      fc.property(object, (written) => {
        const { entry, salts } = digestPersonalValues(written, systemRandom);
        for (const [pointer, { salt, value: opened }] of Object.entries(salts)) {
          const digest = createHash('sha256')
            .update(Buffer.from(salt, 'base64'))
            .update(opened)
            .digest('hex');
          expect(at(entry, pointer)).toEqual({ sha256: digest });
          expect(Buffer.from(salt, 'base64')).toHaveLength(16);
        }
      }),
    );
  });

  it('stay hidden if their salt is erased, while others are restored', () => {
    const { entry, salts } = digestPersonalValues(
      { user: personal('Ana'), object: { email: personal('ana@example.test') } },
      systemRandom,
    );
    const rest = { '/object/email': salts['/object/email']! };
    expect(openPersonalValues(entry, rest)).toEqual({
      user: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      object: { email: 'ana@example.test' },
    });
  });
});
