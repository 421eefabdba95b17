import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acrossOrganizations, sql } from '../../../../src/platform/database/index.js';
import { listActivity, retainedValues } from '../../../../src/domain/activity-log/index.js';
import { retainedInvitations, sweepRetention } from '../../../../src/domain/organizations/index.js';
import { inviteMember } from '../../../../src/domain/organizations/invitations/invite-member.js';
import { listInvitations } from '../../../../src/domain/organizations/invitations/list-invitations.js';
import { placeLegalHold } from '../../../../src/domain/organizations/retention/place-legal-hold.js';
import { releaseLegalHold } from '../../../../src/domain/organizations/retention/release-legal-hold.js';
import { openTestFoundation, type SeededOrganization, seedOrganization } from '../../../kit/seed.js';
import { sequence } from '../../activity-log/kit.js';
import { setClock } from '../../cases/kit.js';
import { endGrace, textOfRows } from './retention-kit.js';

const YEAR_MS = 365.25 * 24 * 60 * 60_000;

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);

describe('an invitation that was never accepted', () => {
  let seed: SeededOrganization;
  beforeAll(() => endGrace(database));
  beforeEach(async () => {
    yearsAgo(6);
    seed = await seedOrganization(foundation);
    await invite('nina@never.example', 'Nina Never');
    yearsAgo(4);
    await invite('lars@later.example', 'Lars Later');
    await sequence(foundation);
  });

  const yearsAgo = (years: number) => clock.set(Date.now() - years * YEAR_MS);
  const invite = (email: string, name: string) =>
    inviteMember(foundation, { origin: () => 'https://lucarne.example' }, seed.owner.principal, {
      email,
      name,
    });
  // With the serving role, like the process.
  const sweep = () =>
    acrossOrganizations(async () => {
      await sweepRetention(foundation, retainedValues).sweep(10_000);
      await sweepRetention(foundation, retainedInvitations).sweep(10_000);
    });
  const stored = async () => {
    const tables = ['activity_entries', 'invitations', 'users', 'security_events'];
    return (await Promise.all(tables.map((table) => textOfRows(database, seed.organization.id, table)))).join(
      '\n',
    );
  };

  it('leaves neither name nor address after the retention of personal values', async () => {
    expect(await stored()).toContain('nina@never.example');
    await sweep();
    expect(await stored()).not.toContain('nina@never.example');
    expect(await stored()).not.toContain('Nina Never');
    expect(await stored()).toContain('lars@later.example');
    const { nodes } = await listInvitations(foundation, seed.owner.principal);
    expect(nodes.map(({ name }) => name)).toEqual(['Lars Later']);
    const applied = await listActivity(foundation, seed.owner.principal, { eventType: 'retention.applied' });
    expect(applied.nodes.map(({ object, details }) => [object['table'], details['count']])).toContainEqual([
      'invitations',
      1,
    ]);
  });

  it('stays for 30 days after the upgrade that adds this deletion, so that holds can be placed first', async () => {
    const upgraded = (daysAgo: number) =>
      database.rows(sql`update mikro_orm_migrations set executed_at = now() - make_interval(days => ${daysAgo})
        where name = '0061-ended-invitations' returning name`);
    expect(await upgraded(29)).toHaveLength(1);
    await sweep();
    expect(await textOfRows(database, seed.organization.id, 'invitations')).toContain('nina@never.example');
    await upgraded(31);
    await sweep();
    expect(await textOfRows(database, seed.organization.id, 'invitations')).not.toContain(
      'nina@never.example',
    );
  });

  it('stays while a legal hold covers personal values', async () => {
    const held = await placeLegalHold(foundation, seed.owner.principal, {
      kinds: ['personal_values'],
      reason: 'An investigation',
    });
    await sweep();
    expect(await stored()).toContain('nina@never.example');
    await releaseLegalHold(foundation, seed.owner.principal, { id: held.id, reason: 'It is closed.' });
    await sweep();
    expect(await stored()).not.toContain('nina@never.example');
  });
});
