import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { openPersonalValues, type Salts } from '../../../src/domain/activity-log/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import type { JsonObject } from '../../../src/platform/kernel/encoding/json.js';
import {
  addMember,
  createOrganization,
  listMembers,
  removeMember,
  setPermissions,
  signIn,
} from '../../../src/domain/organizations/index.js';
import { createAuthenticator, operatorOf, PERMISSIONS } from '../../../src/domain/access/index.js';
import { inviteMember } from '../../../src/domain/organizations/invitations/invite-member.js';
import { SEED_PASSWORD, seedMember, seedOrganization } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';

const { database, foundation, acme, other } = await openTwoOrganizations();

describe('the members of an organization', () => {
  async function entries(eventType: string, userId: string) {
    const rows = await database.rows(sql<{ entry: JsonObject; salts: Salts }>`
      select entry, salts from activity_entries
      where event_type = ${eventType} and entry->'object'->>'user_id' = ${userId} order by sequence`);
    return rows.map(({ entry, salts }) => openPersonalValues(entry, salts));
  }

  it('include an owner with every owner permission from the start', async () => {
    const { nodes } = await listMembers(foundation, acme.owner.principal);
    expect(nodes[0]?.permissions).toEqual({ owner: PERMISSIONS.owner, applications: [] });
    expect([...acme.owner.principal.grants.owner].sort()).toEqual([...PERMISSIONS.owner].sort());
  });

  it('are added with permissions, and the log does not contain their name in plaintext', async () => {
    const added = await addMember(foundation, operatorOf(acme.organization.id), {
      email: 'Ana@example.test',
      name: 'Ana Auditor',
      password: SEED_PASSWORD,
      permissions: { applications: [{ foreignId: 'payments', auditor: ['cases:create'] }] },
    });
    expect(added.permissions).toEqual({
      owner: [],
      applications: [{ foreignId: 'payments', common: [], administrator: [], auditor: ['cases:create'] }],
    });
    const [entry] = await entries('member.added', added.id);
    expect(entry).toMatchObject({
      user_id: 'operator',
      object: { user_id: added.id, name: 'Ana Auditor', email: 'Ana@example.test' },
    });
    const [raw] = await database.rows(sql<{ text: string }>`
      select entry::text as text from activity_entries where entry->'object'->>'user_id' = ${added.id}`);
    expect(raw?.text).not.toContain('Ana');
    const { principal } = await signIn(
      foundation,
      { email: 'ana@EXAMPLE.test', password: SEED_PASSWORD },
      '192.0.2.9',
    );
    expect(principal.userId).toBe(added.id);
  });

  it('have an e-mail address that no other member of the organization has', async () => {
    const again = { name: 'Twin', password: SEED_PASSWORD };
    await expect(
      addMember(foundation, operatorOf(acme.organization.id), {
        ...again,
        email: acme.owner.email.toUpperCase(),
      }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    const race = await Promise.allSettled([
      addMember(foundation, operatorOf(acme.organization.id), { ...again, email: 'twin@example.test' }),
      addMember(foundation, operatorOf(acme.organization.id), { ...again, email: 'TWIN@example.test' }),
    ]);
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(race.find((answer) => answer.status === 'rejected')?.reason).toMatchObject({ code: 'CONFLICT' });
  });

  it.each([
    ['email', { email: 'nobody' }],
    ['email', { email: `${'a'.repeat(250)}@b.cd` }],
    ['email', { email: 'a b@example.test' }],
    ['name', { name: ' ' }],
    ['name', { name: 'n'.repeat(129) }],
    ['password', { password: 'elevenchars' }],
    ['password', { password: 'é'.repeat(513) }],
    ['owner', { permissions: { owner: ['cases:create'] } }],
    ['owner', { permissions: { owner: ['everything'] } }],
    [
      'applications[0].auditor',
      { permissions: { applications: [{ foreignId: 'payments', auditor: ['x'] }] } },
    ],
    ['applications[0].foreignId', { permissions: { applications: [{ foreignId: 'elsewhere' }] } }],
    [
      'applications[1].foreignId',
      { permissions: { applications: [{ foreignId: 'payments' }, { foreignId: 'payments' }] } },
    ],
  ])('are not added with a wrong %s', async (member, wrong) => {
    const input = { email: 'valid@example.test', name: 'Valid', password: SEED_PASSWORD };
    const attempt = addMember(foundation, operatorOf(acme.organization.id), { ...input, ...wrong });
    await expect(attempt).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    await expect(attempt).rejects.toThrow(member);
    expect(await database.rows(sql`select id from users where email = 'valid@example.test'`)).toEqual([]);
  });

  it('are managed only by holders of members:manage, and never with an API key', async () => {
    const member = await seedMember(foundation, acme.organization.id, { owner: ['api_keys:manage'] });
    const site = { origin: () => 'https://lucarne.example' };
    const target = member.principal.userId;
    for (const [principal, code] of [
      [undefined, 'UNAUTHENTICATED'],
      [member.principal, 'FORBIDDEN'],
      [acme.apiKey.principal, 'FORBIDDEN'],
    ] as const) {
      await expect(
        inviteMember(foundation, site, principal, { email: 'more@example.test', name: 'More' }),
      ).rejects.toMatchObject({ code });
      await expect(listMembers(foundation, principal)).rejects.toMatchObject({ code });
      await expect(removeMember(foundation, principal, target)).rejects.toMatchObject({ code });
      await expect(
        setPermissions(foundation, principal, { memberId: target, permissions: {} }),
      ).rejects.toMatchObject({ code });
    }
  });

  it('are unknown to other organizations’ owners', async () => {
    const member = await seedMember(foundation, acme.organization.id, { owner: ['reports:list'] });
    const { userId } = member.principal;
    for (const memberId of [userId, newId('usr'), 'not an id']) {
      await expect(
        setPermissions(foundation, other.owner.principal, { memberId, permissions: {} }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(removeMember(foundation, other.owner.principal, memberId)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    const { nodes } = await listMembers(foundation, other.owner.principal, { first: 200 });
    expect(nodes.map(({ id }) => id)).not.toContain(userId);
    const mine = await listMembers(foundation, acme.owner.principal, { first: 200 });
    expect(mine.nodes.find(({ id }) => id === userId)?.permissions.owner).toEqual(['reports:list']);
  });

  it('have their permissions replaced as a whole, and the log has the permissions before and after', async () => {
    const member = await seedMember(foundation, acme.organization.id, {
      owner: ['reports:list'],
      applications: [{ foreignId: 'payments', common: ['logs:view_activity'] }],
    });
    const memberId = member.principal.userId;
    const permissions = { owner: ['relays:read', 'relays:read'] };
    const changed = await setPermissions(foundation, acme.owner.principal, { memberId, permissions });
    expect(changed.permissions).toEqual({ owner: ['relays:read'], applications: [] });
    await setPermissions(foundation, acme.owner.principal, { memberId, permissions });
    const logged = await entries('member.permissions_changed', memberId);
    expect(logged.map((entry) => entry['details'])).toEqual([
      {
        before: {
          owner: ['reports:list'],
          applications: [
            { foreign_id: 'payments', common: ['logs:view_activity'], administrator: [], auditor: [] },
          ],
        },
        after: { owner: ['relays:read'], applications: [] },
      },
    ]);
  });

  it('never have a mix of two concurrent permission changes', async () => {
    const member = await seedMember(foundation, acme.organization.id);
    const memberId = member.principal.userId;
    const left = ['reports:list', 'reports:download'];
    const right = ['relays:read', 'policies:manage'];
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        setPermissions(foundation, acme.owner.principal, {
          memberId,
          permissions: { owner: index % 2 === 0 ? left : right },
        }),
      ),
    );
    const { nodes } = await listMembers(foundation, acme.owner.principal, { first: 200 });
    const held = [...(nodes.find(({ id }) => id === memberId)?.permissions.owner ?? [])].sort();
    expect([[...left].sort(), [...right].sort()]).toContainEqual(held);
    const details = (await entries('member.permissions_changed', memberId)).map(
      (entry) => entry['details'] as { before: unknown; after: unknown },
    );
    for (const [index, { before }] of details.entries()) {
      if (index > 0) expect(before).toEqual(details[index - 1]?.after);
    }
  });

  it('are removed with their permissions and sessions, and can return without them', async () => {
    const member = await seedMember(foundation, acme.organization.id, { owner: ['reports:list'] });
    const { userId, sessionId } = member.principal;
    await removeMember(foundation, acme.owner.principal, userId);
    await using authenticator = createAuthenticator(foundation);
    expect(await authenticator.authenticate({ sessionToken: member.sessionToken })).toBeUndefined();
    const credentials = { email: member.email, password: SEED_PASSWORD };
    await expect(signIn(foundation, credentials, '192.0.2.1')).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect(await database.rows(sql`select 1 from permission_grants where user_id = ${userId}`)).toEqual([]);
    expect(await entries('member.removed', userId)).toHaveLength(1);
    const [ended] = await entries('session.ended', userId);
    expect(ended).toMatchObject({
      object: { session_id: sessionId },
      details: { reason: 'member_removed' },
      user_id: acme.owner.principal.userId,
    });

    const back = await addMember(foundation, operatorOf(acme.organization.id), {
      email: member.email,
      name: 'Back again',
      password: 'another password',
    });
    expect(back.id).not.toBe(userId);
    expect(back.permissions).toEqual({ owner: [], applications: [] });
    await expect(signIn(foundation, credentials, '192.0.2.2')).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    const returned = await signIn(
      foundation,
      { email: member.email, password: 'another password' },
      '192.0.2.2',
    );
    expect(returned.principal.userId).toBe(back.id);
    expect(await authenticator.authenticate({ sessionToken: member.sessionToken })).toBeUndefined();
  });

  it('are independent in each organization: names, removals and passwords in one do not affect the others', async () => {
    const email = 'mallory.target@example.test';
    const here = await addMember(foundation, operatorOf(acme.organization.id), {
      email,
      name: 'Dr. Ada Auditor',
      password: 'the password of here',
    });
    const there = await addMember(foundation, operatorOf(other.organization.id), {
      email,
      name: 'Renamed by another bank',
      password: 'the password of there',
    });
    expect(there.id).not.toBe(here.id);
    const listed = (await listMembers(foundation, acme.owner.principal, { first: 200 })).nodes;
    expect(listed.find(({ id }) => id === here.id)).toMatchObject({ name: 'Dr. Ada Auditor', email });
    const sessions = async (password: string) =>
      (await signIn(foundation, { email, password }, '192.0.2.77')).principal;
    expect(await sessions('the password of here')).toMatchObject({ userId: here.id });
    expect(await sessions('the password of there')).toMatchObject({ userId: there.id });
    await removeMember(foundation, other.owner.principal, there.id);
    expect(await sessions('the password of here')).toMatchObject({
      userId: here.id,
      name: 'Dr. Ada Auditor',
    });
    await expect(sessions('the password of there')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('are listed with whether they have a second factor, and when they were last active', async () => {
    const one = async (id: string) =>
      (await listMembers(foundation, acme.owner.principal, { first: 200 })).nodes.find(
        (row) => row.id === id,
      );
    const { principal, email } = await seedMember(foundation, acme.organization.id);
    const seen = await one(principal.userId);
    expect(seen).toMatchObject({ hasSecondFactor: false });
    expect(Math.abs(seen!.lastSeenAt!.getTime() - Date.now())).toBeLessThan(120_000);
    await database.rows(sql`
      update accounts set sealed_totp_secret = ${new Uint8Array(40)} where email = ${email}`);
    await database.rows(sql`update sessions set ended_at = now() where user_id = ${principal.userId}`);
    expect(await one(principal.userId)).toMatchObject({ hasSecondFactor: true, lastSeenAt: null });
    await database.rows(sql`update accounts set sealed_totp_secret = null where email = ${email}`);
    await database.rows(sql`
      insert into passkeys (id, account_id, credential_id, public_key, user_handle, sign_count, transports, name,
        created_at)
      select ${newId('pky')}, id, ${randomBytes(16)}, ${randomBytes(65)}, ${randomBytes(16)}, 0, '{}', 'A key', now()
      from accounts where email = ${email}`);
    expect(await one(principal.userId)).toMatchObject({ hasSecondFactor: true });
  });

  it('always include one who holds members:manage', async () => {
    const lone = await seedOrganization(foundation, { name: 'Lone' });
    const owner = lone.owner.principal;
    const rest = PERMISSIONS.owner.filter((name) => name !== 'members:manage');
    await expect(
      setPermissions(foundation, owner, { memberId: owner.userId, permissions: { owner: rest } }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(removeMember(foundation, owner, owner.userId)).rejects.toMatchObject({ code: 'CONFLICT' });
    const { nodes } = await listMembers(foundation, owner);
    expect(nodes.map(({ id, permissions }) => [id, permissions.owner])).toEqual([
      [owner.userId, PERMISSIONS.owner],
    ]);
    expect(await entries('member.permissions_changed', owner.userId)).toEqual([]);
  });

  it('keep one of two managers who remove each other concurrently', async () => {
    const pair = await seedOrganization(foundation, { name: 'Pair' });
    const second = await seedMember(foundation, pair.organization.id, { owner: ['members:manage'] });
    const race = await Promise.allSettled([
      removeMember(foundation, pair.owner.principal, second.principal.userId),
      removeMember(foundation, second.principal, pair.owner.principal.userId),
    ]);
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await listMembers(foundation, operatorOf(pair.organization.id))).nodes).toHaveLength(1);
  });

  it('are listed page by page, each once', async () => {
    const many = await seedOrganization(foundation, { name: 'Many' });
    for (let index = 0; index < 4; index += 1) await seedMember(foundation, many.organization.id);
    const seen: string[] = [];
    let after: string | null | undefined;
    do {
      const page = await listMembers(foundation, many.owner.principal, { first: 2, after });
      seen.push(...page.nodes.map(({ id }) => id));
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after);
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
    const foreign = await listMembers(foundation, other.owner.principal, { first: 1 });
    await expect(
      listMembers(foundation, many.owner.principal, { after: foreign.pageInfo.endCursor }),
    ).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('are created together with the organization, or neither is', async () => {
    await database.transaction((transaction) =>
      transaction.rows(sql`alter table users add check (name <> 'Unwritable')`),
    );
    await expect(
      createOrganization(foundation, {
        name: 'Half made',
        owner: { email: 'owner@half.example', name: 'Unwritable', password: SEED_PASSWORD },
      }),
    ).rejects.toThrow('users_name_check');
    expect(await database.rows(sql`select id from organizations where name = 'Half made'`)).toEqual([]);
  });
});
