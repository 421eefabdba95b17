import { describe, expect, it } from '@jest/globals';
import {
  conflict,
  invalidMember,
  invalidMembers,
  tooManyRequests,
} from '../../../src/platform/kernel/errors.js';
import { extensionsOf } from '../../../src/edge/graphql/error-table.js';

describe('the extensions of a GraphQL error', () => {
  it('name every invalid member, with a sentence about it', () => {
    const error = invalidMembers([
      { member: 'auditorIds[2]', problem: 'must be the id of a user (usr_…)' },
      { member: 'reason', problem: 'is required' },
    ]);
    expect(extensionsOf(error)).toEqual({
      code: 'BAD_USER_INPUT',
      members: [
        { member: 'auditorIds[2]', message: 'auditorIds[2] must be the id of a user (usr_…).' },
        { member: 'reason', message: 'reason is required.' },
      ],
    });
  });

  it('have the reason and the retry time if the error has them, and nothing else', () => {
    expect(extensionsOf(conflict('Bound already.'))).toEqual({ code: 'CONFLICT' });
    expect(extensionsOf(tooManyRequests('Slower.', 7, { reason: 'rate_limited' }))).toEqual({
      code: 'TOO_MANY_REQUESTS',
      reason: 'rate_limited',
      retryAfterSeconds: 7,
    });
    expect(extensionsOf(invalidMember('network', 'is odd', { reason: 'invalid_network' }))).toMatchObject({
      reason: 'invalid_network',
    });
  });
});
