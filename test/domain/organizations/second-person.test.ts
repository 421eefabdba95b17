import { beforeEach, describe, expect, it } from '@jest/globals';
import { PERMISSIONS, operatorOf, type UserPrincipal } from '../../../src/domain/access/index.js';
import { findSessions } from '../../../src/domain/access/authentication/find-sessions.js';
import { hashSessionToken } from '../../../src/domain/access/authentication/session-lifetime.js';
import { sql } from '../../../src/platform/database/index.js';
import { createApiKey, setPermissions } from '../../../src/domain/organizations/index.js';
import { acceptInvitation } from '../../../src/domain/organizations/invitations/accept-invitation.js';
import { inviteMember } from '../../../src/domain/organizations/invitations/invite-member.js';
import { resetMemberSignIn } from '../../../src/domain/organizations/invitations/reset-member-sign-in.js';
import { listProposedOperations } from '../../../src/domain/organizations/list-proposed-operations.js';
import {
  confirmPermissionGrant,
  listPendingGrants,
} from '../../../src/domain/organizations/members/confirm-permission-grant.js';
import { updateOrganization } from '../../../src/domain/organizations/update-organization.js';
import type { PermissionSetInput } from '../../../src/domain/access/permissions/permission-set.js';
import { approveAddress } from '../../../src/domain/checks/addresses/set-address-status.js';
import { createApplication } from '../../../src/domain/organizations/applications/create-application.js';
import {
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
  openTestFoundation,
} from '../../kit/seed.js';

const DOOR = { origin: () => 'https://lucarne.example' };
const ADDRESS = '198.51.100.40';
const SECOND_PERSON = { code: 'CONFLICT', reason: 'second_person_required' };
const NOT_ALONE = { code: 'FORBIDDEN', reason: 'second_person_required' };
const HOURS_72_MS = 72 * 60 * 60_000;

let now = Date.now();
const { database, foundation } = await openTestFoundation({ now: () => new Date(now) });

describe('where an organization requires a second person', () => {
  let home: SeededOrganization;
  let mallory: UserPrincipal;
  let olga: SeededUser;

  beforeEach(async () => {
    home = await seedOrganization(foundation);
    mallory = home.owner.principal;
    olga = await seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner }, 'Olga Owner');
    await require(true);
  });

  async function require(requireSecondPerson: boolean): Promise<void> {
    const change = { requireSecondPerson };
    await expect(updateOrganization(foundation, mallory, change)).rejects.toMatchObject(SECOND_PERSON);
    await updateOrganization(foundation, olga.principal, change);
  }
  const required = async () => {
    const [row] = await database.rows(sql<{ required: boolean }>`
      select require_second_person as required from organizations where id = ${home.organization.id}`);
    return row!.required;
  };
  /** The member's permissions in the next request. */
  const held = async ({ sessionToken }: { sessionToken: string }) => {
    const [session] = await findSessions(database, [hashSessionToken(sessionToken as never)]);
    const { grants } = session!.principal;
    const inApplication = [...grants.applications.values()].flatMap(({ administrator, auditor }) => [
      ...administrator,
      ...auditor,
    ]);
    return [...grants.owner, ...inApplication].sort();
  };
  const pending = async () => (await listPendingGrants(foundation, olga.principal, { first: 200 })).nodes;
  const puppet = async (permissions: object) => {
    const { link } = await inviteMember(foundation, DOOR, mallory, {
      email: `puppet-${Math.random()}@example.test`,
      name: 'Puppet',
      permissions,
    });
    const input = { token: link!.split('#')[1]!, password: 'mallory knows this password' };
    const { token, principal } = await acceptInvitation(foundation, input, undefined, ADDRESS);
    return { sessionToken: token, principal };
  };
  const administrator = {
    applications: [{ foreignId: 'payments', administrator: ['cases:approve_creation', 'cases:list'] }],
  };

  it('an owner who creates a second account cannot decide with it', async () => {
    const alias = await puppet({ ...administrator, owner: ['members:manage', 'reports:list'] });
    expect(await held(alias)).toEqual(['cases:list', 'reports:list']);
    const waiting = await pending();
    expect(waiting.map(({ permission }) => permission).sort()).toEqual([
      'cases:approve_creation',
      'members:manage',
    ]);
    for (const { id } of waiting) {
      await expect(confirmPermissionGrant(foundation, mallory, id)).rejects.toMatchObject(NOT_ALONE);
      await expect(confirmPermissionGrant(foundation, alias.principal, id)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
    }
    for (const { id } of waiting) await confirmPermissionGrant(foundation, olga.principal, id);
    expect(await held(alias)).toContain('cases:approve_creation');
    expect(await pending()).toEqual([]);
  });

  it('no one can grant themselves permissions, and everyone can give up theirs', async () => {
    const memberId = mallory.userId;
    const more = { owner: PERMISSIONS.owner, ...administrator };
    await expect(setPermissions(foundation, mallory, { memberId, permissions: more })).rejects.toMatchObject(
      NOT_ALONE,
    );
    const fewer = { owner: PERMISSIONS.owner.filter((name) => name !== 'relays:read') };
    const member = await setPermissions(foundation, mallory, { memberId, permissions: fewer });
    expect(member.permissions.owner).not.toContain('relays:read');
  });

  it('a pending grant can be withdrawn, and keeps the person who granted it first', async () => {
    const member = await seedMember(foundation, home.organization.id);
    const memberId = member.principal.userId;
    const grant = { memberId, permissions: administrator };
    await setPermissions(foundation, mallory, grant);
    await setPermissions(foundation, olga.principal, grant);
    const [waiting] = await pending();
    expect(waiting).toMatchObject({
      grantedBy: mallory.userId,
      foreignId: 'payments',
      bucket: 'administrator',
    });
    await setPermissions(foundation, olga.principal, { memberId, permissions: {} });
    expect(await pending()).toEqual([]);
    await expect(confirmPermissionGrant(foundation, olga.principal, waiting!.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('an owner who resets another’s sign-in gets an account that cannot decide', async () => {
    const { link } = await resetMemberSignIn(foundation, DOOR, mallory, olga.principal.userId);
    const input = { token: link!.split('#')[1]!, password: 'mallory knows this password' };
    const { token } = await acceptInvitation(foundation, input, undefined, ADDRESS);
    expect(await held({ sessionToken: token })).not.toContain('members:manage');
    expect(await held({ sessionToken: token })).toContain('reports:list');
  });

  it('the operator at the command line needs no one else', async () => {
    const member = await seedMember(foundation, home.organization.id);
    const grant = { memberId: member.principal.userId, permissions: administrator };
    await setPermissions(foundation, operatorOf(home.organization.id), grant);
    expect(await held(member)).toContain('cases:approve_creation');
    await createApiKey(foundation, operatorOf(home.organization.id), {
      name: 'Key',
      scopes: ['assets:read'],
    });
  });

  it('two different owners are required to turn it off', async () => {
    const off = { requireSecondPerson: false };
    await expect(updateOrganization(foundation, mallory, off)).rejects.toMatchObject(SECOND_PERSON);
    await expect(updateOrganization(foundation, mallory, off)).rejects.toMatchObject(SECOND_PERSON);
    expect(await required()).toBe(true);
    expect(await listProposedOperations(foundation, olga.principal)).toMatchObject([
      { operation: 'updateOrganization', proposedBy: { id: mallory.userId } },
    ]);
    await updateOrganization(foundation, olga.principal, off);
    expect(await required()).toBe(false);
    expect(await listProposedOperations(foundation, olga.principal)).toEqual([]);
  });

  it('members who may request a proposed operation can see it, as can owners who manage policies or members, and no one else', async () => {
    const approvers = { applications: [{ foreignId: 'payments', administrator: ['addresses:manage'] }] };
    const [ada, alan] = await Promise.all(
      ['Ada', 'Alan'].map((name) => seedMember(foundation, home.organization.id, approvers, name)),
    );
    await createApplication(foundation, operatorOf(home.organization.id), {
      foreignId: 'cards',
      name: 'Cards',
    });
    const address = { foreignId: 'payments', network: 'solana', address: '1'.repeat(32), reason: 'Our bank' };
    await expect(approveAddress(foundation, ada!.principal, address)).rejects.toMatchObject(SECOND_PERSON);
    await expect(
      createApiKey(foundation, mallory, { name: 'Backend', scopes: ['assets:read'] }),
    ).rejects.toMatchObject(SECOND_PERSON);
    const seen = async (permissions: PermissionSetInput) => {
      const { principal } = await seedMember(foundation, home.organization.id, permissions);
      return (await listProposedOperations(foundation, principal)).map(({ operation }) => operation);
    };
    expect(await listProposedOperations(foundation, alan!.principal)).toMatchObject([
      { operation: 'approveAddress', proposedBy: { id: ada!.principal.userId, name: 'Ada' } },
    ]);
    expect(await seen({ owner: ['addresses:manage'] })).toEqual(['approveAddress']);
    expect(await seen({ owner: ['api_keys:manage'] })).toEqual(['createApiKey']);
    for (const owner of [['policies:manage'], ['members:manage']] as const)
      expect(await seen({ owner })).toEqual(['approveAddress', 'createApiKey']);
    expect(
      await seen({ applications: [{ foreignId: 'cards', administrator: ['addresses:manage'] }] }),
    ).toEqual([]);
    await expect(
      seen({ applications: [{ foreignId: 'payments', auditor: ['cases:create'] }] }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('a proposal is valid for 72 hours, for the same input, and only while its proposer is a member', async () => {
    const create = (principal: UserPrincipal, name: string) =>
      createApiKey(foundation, principal, { name, scopes: ['disclosures:write'] });
    await expect(create(mallory, 'Backend')).rejects.toMatchObject(SECOND_PERSON);
    await expect(create(olga.principal, 'Another')).rejects.toMatchObject(SECOND_PERSON);
    now += HOURS_72_MS;
    await expect(create(olga.principal, 'Backend')).rejects.toMatchObject(SECOND_PERSON);
    const { apiKey } = await create(mallory, 'Backend');
    expect(apiKey.name).toBe('Backend');
    await expect(create(olga.principal, 'Third')).rejects.toMatchObject(SECOND_PERSON);
    await database.transaction((transaction) =>
      transaction.rows(sql`update users set ended_at = now(), account_id = null
        where id = ${olga.principal.userId}`),
    );
    await expect(create(mallory, 'Third')).rejects.toMatchObject(SECOND_PERSON);
  });

  it('proposals are logged from the start', async () => {
    const off = { requireSecondPerson: false };
    await expect(updateOrganization(foundation, mallory, off)).rejects.toMatchObject(SECOND_PERSON);
    const [entry] = await database.rows(sql<{ entry: object; actor: string }>`
      select entry, actor_id as actor from activity_entries
      where organization_id = ${home.organization.id} and event_type = 'operation.proposed'
      order by sequence desc limit 1`);
    expect(entry).toMatchObject({
      actor: mallory.userId,
      entry: {
        object: { operation: 'updateOrganization' },
        details: { input: '{"require_second_person":false}' },
      },
    });
  });

  it('an approver’s second account, made an auditor, can request nothing until another person confirms', async () => {
    const auditor = {
      foreignId: 'payments',
      auditor: ['cases:create', 'reports:view_transactions', 'reports:list'],
    };
    const alias = await puppet({ applications: [auditor] });
    expect(await held(alias)).toEqual(['reports:list']);
    expect((await pending()).map(({ permission }) => permission).sort()).toEqual([
      'cases:create',
      'reports:view_transactions',
    ]);
  });

  it('an owner’s second or taken-over account cannot read reports until another person confirms', async () => {
    const reads = {
      owner: ['reports:list', 'reports:download'],
      applications: [
        { foreignId: 'payments', auditor: ['reports:create', 'reports:list', 'reports:download'] },
      ],
    };
    expect(await held(await puppet(reads))).toEqual(['reports:list', 'reports:list']);

    const auditor = await seedMember(foundation, home.organization.id, reads);
    const { link } = await resetMemberSignIn(foundation, DOOR, mallory, auditor.principal.userId);
    const input = { token: link!.split('#')[1]!, password: 'mallory knows this password' };
    const { token } = await acceptInvitation(foundation, input, undefined, ADDRESS);
    expect(await held({ sessionToken: token })).toEqual(['reports:list', 'reports:list']);
  });

  it('an owner’s second account cannot choose who decides about an asset', async () => {
    expect(await held(await puppet({ owner: ['applications:read', 'applications:create'] }))).toEqual([
      'applications:read',
    ]);
  });

  it('an owner who takes over an account cannot confirm what another granted to it before', async () => {
    const member = await seedMember(foundation, home.organization.id);
    const { userId: memberId } = member.principal;
    await setPermissions(foundation, olga.principal, { memberId, permissions: administrator });
    const { link } = await resetMemberSignIn(foundation, DOOR, mallory, memberId);
    const input = { token: link!.split('#')[1]!, password: 'mallory knows this password' };
    await acceptInvitation(foundation, input, undefined, ADDRESS);
    const [waiting] = await pending();
    await expect(confirmPermissionGrant(foundation, mallory, waiting!.id)).rejects.toMatchObject(NOT_ALONE);
    await confirmPermissionGrant(foundation, olga.principal, waiting!.id);
    expect(await pending()).toEqual([]);
  });

  it('a proposal ends with its proposer’s permissions', async () => {
    const create = (principal: UserPrincipal) =>
      createApiKey(foundation, principal, { name: 'Left over', scopes: ['disclosures:write'] });
    await expect(create(olga.principal)).rejects.toMatchObject(SECOND_PERSON);
    const { userId: memberId } = olga.principal;
    const owner = PERMISSIONS.owner.filter((name) => name !== 'api_keys:manage');
    await setPermissions(foundation, mallory, { memberId, permissions: { owner } });
    await expect(create(mallory)).rejects.toMatchObject(SECOND_PERSON);
  });

  it('two concurrent proposals agree: one of them executes', async () => {
    const create = (principal: UserPrincipal) =>
      createApiKey(foundation, principal, { name: 'Raced', scopes: ['assets:read'] });
    const race = await Promise.allSettled([create(mallory), create(olga.principal)]);
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
