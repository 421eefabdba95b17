import { describe, expect, it } from '@jest/globals';
import { requiresSecondPerson } from '../../../src/domain/access/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { updateOrganization } from '../../../src/domain/organizations/update-organization.js';
import { seedMember } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';

const { database, foundation, acme: seed, other } = await openTwoOrganizations();
const manager = (await seedMember(foundation, seed.organization.id, { owner: ['policies:manage'] }))
  .principal;

describe('requiring a second person', () => {
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
