import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import {
  badUserInput,
  conflict,
  invalidMember,
  invalidMembers,
  isLucarneError,
  LucarneError,
  messageOf,
  parseMembers,
} from '../../../src/platform/kernel/errors.js';

const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
};

const failing = (thrown: unknown) => () => {
  throw thrown;
};

describe('parsing several members', () => {
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  const outcome = fc.oneof(
    fc.record({ value: fc.integer() }),
    fc.record({ problems: fc.array(fc.constantFrom('is odd', 'is late'), { minLength: 1, maxLength: 3 }) }),
  );

  it('returns every value, or reports every problem of every member in parser order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, outcome), { selector: ([key]) => key }), (members) => {
        const problems = members.flatMap(([member, result]) =>
          'problems' in result ? result.problems.map((problem) => ({ member, problem })) : [],
        );
        const parsers = Object.fromEntries(
          members.map(([member, result]) => [
            member,
            () => {
              if ('value' in result) return result.value;
              throw invalidMembers(result.problems.map((problem) => ({ member, problem })));
            },
          ]),
        );
        const thrown = thrownBy(() => {
          const values = members.map(([member, result]) => [member, 'value' in result ? result.value : 0]);
          expect(parseMembers(parsers)).toEqual(Object.fromEntries(values));
        });
        if (problems.length === 0) expect(thrown).toBeUndefined();
        else {
          expect(isLucarneError(thrown) && [thrown.code, thrown.members]).toEqual([
            'BAD_USER_INPUT',
            problems,
          ]);
          expect((thrown as Error).message).toBe(
            problems.map(({ member, problem }) => `${member} ${problem}.`).join(' '),
          );
        }
      }),
    );
  });

  it('keeps the reason of the first invalid member', () => {
    const thrown = thrownBy(() =>
      parseMembers({
        network: failing(invalidMember('network', 'is odd', { reason: 'invalid_network' })),
        address: failing(invalidMember('address', 'is odd', { reason: 'invalid_address' })),
      }),
    );
    expect(thrown).toMatchObject({ reason: 'invalid_network', members: [{}, {}] });
  });

  it.each([
    ['a failure inside', new Error('The disk is full.')],
    ['a conflict', conflict('Bound already.')],
    ['bad input that no member causes', badUserInput('The document is too large.')],
  ])('throws %s as it is, although a member is invalid too', (_, failure) => {
    const parsers = { name: failing(invalidMember('name', 'is odd')), other: failing(failure) };
    expect(thrownBy(() => parseMembers(parsers))).toBe(failure);
  });
});

describe('an error', () => {
  it('records a refused permission if its code is FORBIDDEN, unless it names another event', () => {
    expect(new LucarneError('FORBIDDEN', 'No.').denial).toEqual({ event: 'permission.refused' });
    const denial = { event: 'origin.refused' } as const;
    expect(new LucarneError('FORBIDDEN', 'No.', { denial }).denial).toBe(denial);
    expect(new LucarneError('NOT_FOUND', 'No.').denial).toBeUndefined();
  });

  it('is logged with only its first line, cut to 500 characters', () => {
    expect(messageOf(new Error('duplicate key\nDETAIL: row (alice, 42)'))).toBe('duplicate key');
    expect(messageOf('x'.repeat(1000))).toHaveLength(500);
    expect(messageOf(undefined)).toBe('undefined');
  });
});
