import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql, type Database, type Foundation } from '../../src/database/index.js';
import { requiresSecondPerson } from '../../src/organizations/index.js';
import { updateOrganization } from '../../src/organizations/update-organization.js';
import { createTestDatabase } from '../kit/database.js';
import { seedMember, seedOrganization, testFoundation, type SeededOrganization } from '../kit/seed.js';

describe('requiring a second person', () => {
  let database: Database;
  let foundation: Foundation;
  let seed: SeededOrganization;
  let other: SeededOrganization;

  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
    seed = await seedOrganization(foundation);
    other = await seedOrganization(foundation, { name: 'Other', foreignId: 'other' });
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const required = (organization = seed) => requiresSecondPerson(database, organization.organization.id);
  const entries = () =>
    database.rows(sql`
      select actor_id as actor, entry->'details' as details from activity_entries
      where event_type = 'organization.updated' order by sequence`);

  it('is off until an owner who manages policies turns it on, for that organization alone', async () => {
    expect(await required()).toBe(false);
    const manager = await seedMember(foundation, seed.organization.id, { owner: ['policies:manage'] });
    const { organizationId, userId } = manager.principal;
    const updated = await updateOrganization(foundation, manager.principal, { requireSecondPerson: true });
    expect(updated).toEqual({ id: organizationId, name: 'Acme' });
    expect([await required(), await required(other)]).toEqual([true, false]);
    expect(await entries()).toEqual([{ actor: userId, details: { require_second_person: true } }]);
  });

  it('that is so already, or is not spoken of, changes nothing and is no entry', async () => {
    for (const requireSecondPerson of [true, null, undefined])
      await updateOrganization(foundation, seed.owner.principal, { requireSecondPerson });
    expect(await required()).toBe(true);
    expect(await entries()).toHaveLength(1);
  });

  it('is turned off again, which is an entry too', async () => {
    await updateOrganization(foundation, seed.owner.principal, { requireSecondPerson: false });
    expect(await required()).toBe(false);
    expect(await entries()).toHaveLength(2);
  });

  it('is not for a member without the permission, nor for a key', async () => {
    const member = await seedMember(foundation, seed.organization.id, { owner: ['members:manage'] });
    for (const principal of [member.principal, seed.apiKey.principal]) {
      await expect(
        updateOrganization(foundation, principal, { requireSecondPerson: true }),
      ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    await expect(
      updateOrganization(foundation, undefined, { requireSecondPerson: true }),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await entries()).toHaveLength(2);
  });
});
