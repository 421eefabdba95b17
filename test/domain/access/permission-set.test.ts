import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import {
  parsePermissionSet,
  permissionStates,
  permissionSetOf,
  type PermissionSet,
} from '../../../src/domain/access/permissions/permission-set.js';
import {
  APPLICATION_BUCKETS,
  BUCKETS,
  isPermissionOf,
  PERMISSIONS,
} from '../../../src/domain/access/permissions/permissions.js';

const namesOf = (bucket: keyof typeof PERMISSIONS) => fc.subarray([...PERMISSIONS[bucket]]);
const foreignIds = fc.uniqueArray(fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,8}$/), { maxLength: 4 });

const sets: fc.Arbitrary<PermissionSet> = foreignIds.chain((ids) =>
  fc.record({
    owner: namesOf('owner'),
    applications: fc.tuple(
      ...[...ids].sort().map((foreignId) =>
        fc.record({
          foreignId: fc.constant(foreignId),
          common: namesOf('common'),
          administrator: namesOf('administrator'),
          auditor: namesOf('auditor'),
        }),
      ),
    ),
  }),
);

describe('a permission set', () => {
  it('does not depend on the order or repetition of its names', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const shuffled = {
          owner: [...set.owner, ...set.owner].reverse(),
          applications: set.applications.map((application) => ({
            ...application,
            auditor: [...application.auditor].reverse(),
          })),
        };
        expect(parsePermissionSet(shuffled)).toEqual(parsePermissionSet(set));
      }),
    );
  });

  it('is rebuilt from its grants, without applications that have no grants', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const rows = [
          ...set.owner.map((name): [string, string, null] => ['owner', name, null]),
          ...set.applications.flatMap((application) =>
            APPLICATION_BUCKETS.flatMap((bucket) =>
              application[bucket].map((name): [string, string, string] => [
                bucket,
                name,
                application.foreignId,
              ]),
            ),
          ),
        ];
        const kept = set.applications.filter((application) =>
          APPLICATION_BUCKETS.some((bucket) => application[bucket].length > 0),
        );
        expect(permissionSetOf(rows)).toEqual({ owner: set.owner, applications: kept });
      }),
    );
  });

  it('refuses names that its bucket does not have', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BUCKETS), fc.string(), (bucket, name) => {
        fc.pre(!isPermissionOf(bucket, name));
        const input =
          bucket === 'owner' ? { owner: [name] } : { applications: [{ foreignId: 'a', [bucket]: [name] }] };
        expect(() => parsePermissionSet(input)).toThrow(bucket);
      }),
    );
    for (const name of ['__proto__', 'constructor', 'length', 'toString']) {
      expect(() => parsePermissionSet({ owner: [name] })).toThrow('owner');
    }
  });

  it('reports for every permission of a bucket whether it is held', () => {
    const states = permissionStates('auditor', new Set(['cases:create', 'not:known']));
    expect(states).toEqual([
      { name: 'reports:view_transactions', held: false },
      { name: 'cases:create', held: true },
      { name: 'cases:withdraw_pending_request', held: false },
      { name: 'reports:create', held: false },
      { name: 'reports:list', held: false },
      { name: 'reports:download', held: false },
    ]);
  });
});
