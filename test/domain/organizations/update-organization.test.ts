import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requiresSecondPerson, type UserPrincipal } from '../../../src/domain/access/index.js';
import { sql, type Database, type Foundation } from '../../../src/platform/database/index.js';
import { updateOrganization } from '../../../src/domain/organizations/update-organization.js';
import { createTestDatabase } from '../../kit/database.js';
import { seedMember, seedOrganization, testFoundation, type SeededOrganization } from '../../kit/seed.js';

describe('requiring a second person', () => {
  let database: Database;
  let foundation: Foundation;
  let seed: SeededOrganization;
  let other: SeededOrganization;
  let manager: UserPrincipal;

  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database);
    seed = await seedOrganization(foundation);
    other = await seedOrganization(foundation, { name: 'Other', foreignId: 'other' });
    manager = (await seedMember(foundation, seed.organization.id, { owner: ['policies:manage'] })).principal;
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const required = (organization = seed) => requiresSecondPerson(database, organization.organization.id);
  const entries = () =>
    database.rows(sql`
      select actor_id as actor, entry->'details' as details from activity_entries
      where event_type = 'organization.updated' order by sequence`);
  const propose = (requireSecondPerson: boolean) =>
    expect(
      updateOrganization(foundation, seed.owner.principal, { requireSecondPerson }),
    ).rejects.toMatchObject({ code: 'CONFLICT', reason: 'second_person_required' });

  it('is off until two owners who manage policies turn it on, for that organization alone', async () => {
    await propose(true);
    expect(await required()).toBe(false);
    const updated = await updateOrganization(foundation, manager, { requireSecondPerson: true });
    expect(updated).toEqual({ id: manager.organizationId, name: 'Acme' });
    expect([await required(), await required(other)]).toEqual([true, false]);
    expect(await entries()).toEqual([{ actor: manager.userId, details: { require_second_person: true } }]);
  });

  it('changes and logs nothing if the value is the same or absent', async () => {
    for (const requireSecondPerson of [true, null, undefined])
      await updateOrganization(foundation, seed.owner.principal, { requireSecondPerson });
    expect(await required()).toBe(true);
    expect(await entries()).toHaveLength(1);
  });

  it('is turned off by two owners, which is also logged', async () => {
    await propose(false);
    await updateOrganization(foundation, manager, { requireSecondPerson: false });
    expect(await required()).toBe(false);
    expect(await entries()).toHaveLength(2);
  });

  it('requires the permission and a session', async () => {
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
