import { describe, expect, it } from '@jest/globals';
import { createAsset, lockAsset } from '../../../src/domain/assets/index.js';
import { assignAsset } from '../../../src/domain/assets/assign-asset.js';
import { findAsset, listAssets } from '../../../src/domain/assets/find-asset.js';
import { operatorOf } from '../../../src/domain/access/index.js';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { eventually, notEmpty } from '../../kit/eventually.js';
import { openGate } from '../../kit/process/gate.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { seedMember, type SeededOrganization, seedOrganization } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';
import { EURO, logOf } from './kit.js';

const { database, foundation, acme, other } = await openTwoOrganizations();

/** Waits until a session of the database waits for a lock of another one. */
const waiting = sql`
  select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const untilOneWaits = () => eventually(() => database.rows(waiting), notEmpty);

describe('assigning an asset to an application', () => {
  const create = () => createAsset(foundation, acme.apiKey.principal, EURO);
  const assign = (assetId: string, foreignId: string | null, principal = acme.owner.principal) =>
    assignAsset(foundation, principal, { assetId, foreignId });

  /** An asset of an organization that requires a second person, and another owner who may assign it. */
  const underTwoPersons = async () => {
    const home = await seedOrganization(foundation);
    const { id: organizationId } = home.organization;
    await database.rows(
      sql`update organizations set require_second_person = true where id = ${organizationId}`,
    );
    const olga = await seedMember(foundation, organizationId, { owner: ['applications:create'] }, 'Olga');
    const { id } = await createAsset(foundation, home.apiKey.principal, EURO);
    return { home, organizationId, olga, id };
  };

  it('links it and unlinks it, and writes an entry of the application each time', async () => {
    const { id } = await create();
    const linked = await assign(id, 'payments');
    expect(linked.applicationId).toBe(acme.application.id);
    expect(await findAsset(foundation, acme.owner.principal, id)).toEqual(linked);
    expect(await assign(id, null)).toMatchObject({ applicationId: null });
    expect(await logOf(foundation, id)).toEqual(['asset.created', 'asset.assigned', 'asset.assigned']);
    const entry = { applicationId: acme.application.id, foreignId: 'payments' };
    expect(await assignments(id)).toEqual([
      { ...entry, details: { assigned: true } },
      { ...entry, details: { assigned: false } },
    ]);
  });

  it('writes an entry of the application that it leaves, and one of the application that it joins', async () => {
    const { id } = await create();
    await createApplication(foundation, operatorOf(acme.organization.id), {
      foreignId: 'lending',
      name: 'Lending',
    });
    await assign(id, 'payments');
    await assign(id, 'lending');
    const moved = (await assignments(id)).slice(1);
    expect(moved.map(({ foreignId, details }) => [foreignId, details])).toEqual([
      ['payments', { assigned: false }],
      ['lending', { assigned: true }],
    ]);
  });

  const assignments = (id: string) =>
    database.rows(
      sql<{ foreignId: string; details: object }>`
        select application_id as "applicationId", entry ->> 'application_foreign_id' as "foreignId",
          entry -> 'details' as details
        from activity_entries
        where event_type = 'asset.assigned' and entry -> 'object' ->> 'id' = ${id} order by sequence`,
    );

  it('changes nothing and logs nothing if the asset already belongs to the application', async () => {
    const { id } = await create();
    const first = await assign(id, 'payments');
    expect(await assign(id, 'payments')).toEqual(first);
    expect(await logOf(foundation, id)).toEqual(['asset.created', 'asset.assigned']);
  });

  it.each(['elsewhere', 'unknown', '', 'a\0b', '\ud800'])(
    'is refused for the foreignId %j',
    async (foreignId) => {
      const { id } = await create();
      await expect(assign(id, foreignId)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
      expect(await findAsset(foundation, acme.owner.principal, id)).toMatchObject({ applicationId: null });
    },
  );

  it('needs the owner permission applications:create, and is refused to API keys', async () => {
    const { id } = await create();
    const member = await seedMember(foundation, acme.organization.id, { owner: ['applications:read'] });
    for (const [principal, code] of [
      [undefined, 'UNAUTHENTICATED'],
      [member.principal, 'FORBIDDEN'],
      [acme.apiKey.principal, 'FORBIDDEN'],
    ] as const) {
      const attempt = assignAsset(foundation, principal, { assetId: id, foreignId: 'payments' });
      await expect(attempt).rejects.toMatchObject({ code });
    }
  });

  it('requires two people if a second person is required; removing it requires one', async () => {
    const { home, olga, id } = await underTwoPersons();
    const proposed = { code: 'CONFLICT', reason: 'second_person_required' };
    await expect(assign(id, 'payments', olga.principal)).rejects.toMatchObject(proposed);
    await expect(assign(id, 'payments', olga.principal)).rejects.toMatchObject(proposed);
    expect(await logOf(foundation, id)).toEqual(['asset.created']);
    const linked = await assign(id, 'payments', home.owner.principal);
    expect(linked.applicationId).not.toBeNull();
    expect(await assign(id, null, olga.principal)).toMatchObject({ applicationId: null });
    expect(await logOf(foundation, id)).toEqual(['asset.created', 'asset.assigned', 'asset.assigned']);
  });

  itOnPostgresql(
    'by two people waits for a disclosure of the asset, but a disclosure never waits for the assignment',
    async () => {
      const { home, organizationId, olga, id } = await underTwoPersons();
      await expect(assign(id, 'payments', olga.principal)).rejects.toMatchObject({ code: 'CONFLICT' });
      using gate = openGate();
      const disclosing = database.transaction(async (transaction) => {
        await lockAsset(transaction, organizationId, id, 'hold');
        await gate.until();
        await transaction.rows(
          sql`update organizations set disclosure_changes = disclosure_changes + 1 where id = ${organizationId}`,
        );
      });
      await gate.arrived;
      const assigning = assign(id, 'payments', home.owner.principal);
      await untilOneWaits();
      gate.release();
      await Promise.all([disclosing, assigning]);
      expect(await assigning).toMatchObject({ id, applicationId: expect.any(String) });
    },
  );

  it('answers the same for another organization’s asset as for one that does not exist', async () => {
    const { id } = await create();
    for (const assetId of [id, newId('ast'), newId('app'), '']) {
      const attempt = assign(assetId, 'elsewhere', other.owner.principal);
      await expect(attempt).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'No such asset.' });
    }
  });

  it('keeps the listings of two organizations separate', async () => {
    const mine = await create();
    const theirs = await createAsset(foundation, other.apiKey.principal, EURO);
    const idsOf = async (organization: SeededOrganization) =>
      (await listAssets(foundation, organization.apiKey.principal, {})).nodes.map(({ id }) => id);
    expect(await idsOf(other)).toEqual([theirs.id]);
    expect(await idsOf(acme)).toContain(mine.id);
    expect(await idsOf(acme)).not.toContain(theirs.id);
    for (const [organization, id] of [
      [acme, theirs.id],
      [other, mine.id],
    ] as const) {
      await expect(findAsset(foundation, organization.owner.principal, id)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
  });
});
