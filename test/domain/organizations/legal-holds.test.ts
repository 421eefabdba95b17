import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { placeLegalHold } from '../../../src/domain/organizations/retention/place-legal-hold.js';
import type { Database } from '../../../src/platform/database/index.js';
import { createTestDatabase } from '../../kit/database.js';
import { seedMember, seedOrganization, testFoundation } from '../../kit/seed.js';

const REASON = 'The bank asked for it.';

describe('a legal hold', () => {
  let database: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  it('can be placed by each owner, regardless of how many another owner has placed', async () => {
    const foundation = testFoundation(database);
    const { organization, owner } = await seedOrganization(foundation);
    const hold = (kind: 'reports' | 'personal_values', principal = owner.principal) =>
      placeLegalHold(foundation, principal, { reason: REASON, kinds: [kind] });
    await Promise.all(Array.from({ length: 100 }, () => hold('reports')));
    await expect(hold('personal_values')).rejects.toMatchObject({ code: 'CONFLICT' });
    const other = await seedMember(foundation, organization.id, { owner: ['policies:manage'] });
    const placed = await hold('personal_values', other.principal);
    expect(placed.placedBy).toBe(other.principal.userId);
  });
});
