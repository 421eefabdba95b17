import { describe, expect, it } from '@jest/globals';
import { placeLegalHold } from '../../../src/domain/organizations/retention/place-legal-hold.js';
import { createTestDatabase } from '../../kit/database.js';
import { forFile } from '../../kit/for-file.js';
import { seedMember, seedOrganization, testFoundation } from '../../kit/seed.js';

const REASON = 'The bank asked for it.';

const database = forFile(await createTestDatabase());

describe('a legal hold', () => {
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
