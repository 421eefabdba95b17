import { describe, expect, it } from '@jest/globals';
import { SCOPE_TEXTS } from '../../portal/src/screens/organization/keys/api-key-scopes.ts';
import { OPERATION_NAMES } from '../../portal/src/screens/organization/operation-words.ts';
import { API_KEY_SCOPES } from '../../src/domain/access/index.js';
import { PROPOSED_OPERATIONS } from '../../src/domain/access/second-person/second-person-table.js';

describe('The portal has words', () => {
  it('for every operation that a second person must ask for, too, and no other', () => {
    expect(Object.keys(OPERATION_NAMES)).toEqual([...PROPOSED_OPERATIONS]);
  });

  it('for every scope of an API key, and no other', () => {
    expect(Object.keys(SCOPE_TEXTS)).toEqual(Object.keys(API_KEY_SCOPES));
  });
});
