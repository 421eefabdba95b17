import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql, type Database, type Foundation } from '../../src/database/index.js';
import type { JsonObject } from '../../src/kernel/json.js';
import { createAuthenticator } from '../../src/organizations/index.js';
import { endMemberSessions } from '../../src/organizations/end-member-sessions.js';
import { listSessions } from '../../src/organizations/list-sessions.js';
import { revokeOtherSessions } from '../../src/organizations/revoke-other-sessions.js';
import { revokeSession } from '../../src/organizations/revoke-session.js';
import { createTestDatabase } from '../kit/database.js';
import {
  seedMember,
  seedOrganization,
  seedSession,
  testFoundation,
  type SeededOrganization,
  type SeededUser,
} from '../kit/seed.js';

describe('the sessions of a user', () => {
  let database: Database;
  let foundation: Foundation;
  let seed: SeededOrganization;
  let other: SeededOrganization;
  let member: SeededUser;
  let instant = Date.parse('2026-11-21T10:00:00.000Z');

  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database, { now: () => new Date(instant) });
    seed = await seedOrganization(foundation);
    other = await seedOrganization(foundation, { name: 'Other', foreignId: 'other' });
  });
  afterAll(async () => database[Symbol.asyncDispose]());
  beforeEach(async () => {
    member = await seedMember(foundation, seed.organization.id);
  });

  const again = ({ principal, email }: SeededUser) =>
    seedSession(foundation, principal.organizationId, { id: principal.userId, name: principal.name, email });

  async function isSignedIn({ sessionToken }: SeededUser): Promise<boolean> {
    await using authenticator = createAuthenticator(foundation);
    return (await authenticator.authenticate({ sessionToken })) !== undefined;
  }

  const sessionsOf = async ({ principal }: SeededUser) => (await listSessions(foundation, principal)).nodes;

  async function endings(user: SeededUser) {
    const rows = await database.rows(sql<{ entry: JsonObject }>`
      select entry from activity_entries where event_type = 'session.ended'
        and entry->'object'->>'user_id' = ${user.principal.userId} order by sequence`);
    return rows.map(({ entry }) => entry);
  }

  it('are listed newest first, with the one that asks', async () => {
    instant += 1_000;
    const second = await again(member);
    expect(await sessionsOf(second)).toEqual([
      {
        id: second.principal.sessionId,
        createdAt: new Date(instant),
        lastSeenAt: new Date(instant),
        expiresAt: new Date(instant + 12 * 3_600_000),
        current: true,
      },
      expect.objectContaining({ id: member.principal.sessionId, current: false }),
    ]);
  });

  it('are listed by pages', async () => {
    const newest = await again(await again(member));
    const page = await listSessions(foundation, member.principal, { first: 2 });
    const rest = await listSessions(foundation, member.principal, { after: page.pageInfo.endCursor });
    expect([...page.nodes, ...rest.nodes].map(({ id }) => id)).toHaveLength(3);
    expect(page.nodes[0]?.id).toBe(newest.principal.sessionId);
    expect(rest.pageInfo.hasNextPage).toBe(false);
  });

  it('are no longer listed once they have idled or expired', async () => {
    instant += 30 * 60_000;
    const fresh = await again(member);
    expect((await sessionsOf(fresh)).map(({ id }) => id)).toEqual([fresh.principal.sessionId]);
  });

  it('end one by one, with an entry each, and once', async () => {
    const second = await again(member);
    const revoke = () => revokeSession(foundation, member.principal, second.principal.sessionId);
    expect(await revoke()).toBe(true);
    expect(await revoke()).toBe(false);
    expect([await isSignedIn(member), await isSignedIn(second)]).toEqual([true, false]);
    expect(await endings(member)).toMatchObject([
      {
        user_id: member.principal.userId,
        object: { session_id: second.principal.sessionId },
        details: { reason: 'revoked' },
      },
    ]);
  });

  it('end but for the one that asks', async () => {
    const others = [await again(member), await again(member)];
    expect(await revokeOtherSessions(foundation, member.principal)).toBe(2);
    expect(await isSignedIn(member)).toBe(true);
    for (const user of others) expect(await isSignedIn(user)).toBe(false);
    expect(await revokeOtherSessions(foundation, member.principal)).toBe(0);
    expect(await endings(member)).toHaveLength(2);
  });

  it('of somebody else are not there', async () => {
    const neighbour = await seedMember(foundation, seed.organization.id);
    for (const id of [neighbour.principal.sessionId, other.owner.principal.sessionId, 'ses_x', '']) {
      await expect(revokeSession(foundation, member.principal, id)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'No such session.',
      });
    }
    expect(await isSignedIn(neighbour)).toBe(true);
  });

  it('are ended all by who manages members, who is named in the entries', async () => {
    await again(member);
    const manager = seed.owner.principal;
    expect(await endMemberSessions(foundation, manager, member.principal.userId)).toBe(2);
    expect(await isSignedIn(member)).toBe(false);
    expect(await endings(member)).toMatchObject(
      [1, 2].map(() => ({ user_id: manager.userId, details: { reason: 'ended_by_manager' } })),
    );
  });

  it('are not ended by who does not, nor by the manager of another organization', async () => {
    const { userId } = member.principal;
    await expect(endMemberSessions(foundation, member.principal, userId)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(endMemberSessions(foundation, other.owner.principal, userId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await isSignedIn(member)).toBe(true);
  });
});
