import { describe, expect, it } from '@jest/globals';
import { seesProposals } from '../../../portal/src/app/places.ts';
import { SCOPE_TEXTS } from '../../../portal/src/screens/organization/keys/api-key-scopes.ts';
import { OPERATION_NAMES } from '../../../portal/src/screens/organization/operation-words.ts';
import { API_KEY_SCOPES, PERMISSIONS } from '../../../src/domain/access/index.js';
import {
  PERMISSION_OF_PROPOSED,
  type PermissionOfProposed,
  PROPOSED_OPERATIONS,
} from '../../../src/domain/access/second-person/second-person-table.js';

describe('the portal', () => {
  it('has texts for exactly the operations that a second person must request', () => {
    expect(Object.keys(OPERATION_NAMES)).toEqual([...PROPOSED_OPERATIONS]);
  });

  it('has texts for exactly the scopes of an API key', () => {
    expect(Object.keys(SCOPE_TEXTS)).toEqual(Object.keys(API_KEY_SCOPES));
  });
});

describe('the portal and proposals of others', () => {
  const rules: readonly PermissionOfProposed[] = Object.values(PERMISSION_OF_PROPOSED);
  const application = { foreignId: 'payments', common: [], administrator: [], auditor: [] };

  it.each([...PERMISSIONS.owner])(
    'shows them to an owner with %s if one may request or oversee some of them',
    (permission) => {
      const oversees = ['policies:manage', 'members:manage'].includes(permission);
      const sees = oversees || rules.some(({ owner }) => owner === permission);
      expect(seesProposals({ owner: [permission], applications: [application] })).toBe(sees);
    },
  );

  it.each([...PERMISSIONS.administrator])(
    'shows them to an administrator with %s if one may request some of them',
    (permission) => {
      const held = { owner: [], applications: [{ ...application, administrator: [permission] }] };
      expect(seesProposals(held)).toBe(rules.some(({ administrator }) => administrator === permission));
    },
  );
});
