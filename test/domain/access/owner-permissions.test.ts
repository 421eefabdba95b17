import { describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { sql } from '../../../src/platform/database/index.js';
import {
  grantToFullOwners,
  OWNER_PERMISSIONS,
} from '../../../src/platform/database/migrations/owner-permissions.js';
import { seedMember, seedOrganization, openTestFoundation } from '../../kit/seed.js';

/** The number of owner permissions in the first release. */
const FIRST_RELEASE = 12;

const { database, foundation } = await openTestFoundation();

describe('an owner permission that is added later', () => {
  const run = (statement: string) =>
    database.transaction((transaction) => transaction.rows(sql.raw(statement)));

  it('has a migration that grants it to owners who hold all earlier ones', async () => {
    const folder = new URL('../../../src/platform/database/migrations/', import.meta.url);
    const names = await readdir(folder);
    const sources = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
    const introduced = OWNER_PERMISSIONS.slice(FIRST_RELEASE);
    expect(
      introduced.filter((name) => !sources.some((text) => text.includes(`grantToFullOwners('${name}')`))),
    ).toEqual([]);
  });

  it('is granted to members who hold all earlier ones, in each organization, and to no one else', async () => {
    const organizations = [await seedOrganization(foundation), await seedOrganization(foundation)];
    const organizationId = organizations[0]!.organization.id;
    await seedMember(foundation, organizationId, { owner: PERMISSIONS.owner.slice(1) });
    await seedMember(foundation, organizationId, {
      applications: [{ foreignId: 'payments', administrator: PERMISSIONS.administrator }],
    });
    const introduced = grantToFullOwners('vaults:open', [...OWNER_PERMISSIONS, 'vaults:open']);
    await run(introduced);
    await run(introduced);
    const holders = await database.rows(sql<{ id: string; permission: string }>`
      select user_id as id, bucket || ' ' || permission as permission from permission_grants
      where permission = 'vaults:open' order by user_id`);
    const owners = organizations.map(({ owner }) => owner.principal.userId).sort();
    expect(holders).toEqual(owners.map((id) => ({ id, permission: 'owner vaults:open' })));
  });

  it('cannot come before existing permissions in the list', () => {
    expect(() => grantToFullOwners('unlisted:name')).toThrow('not a new owner permission');
    expect(() => grantToFullOwners(OWNER_PERMISSIONS[0])).toThrow('not a new owner permission');
  });
});
