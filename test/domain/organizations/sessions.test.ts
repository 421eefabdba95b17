import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import type { JsonObject } from '../../../src/platform/kernel/encoding/json.js';
import { createAuthenticator } from '../../../src/domain/access/index.js';
import { endMemberSessions } from '../../../src/domain/organizations/members/end-member-sessions.js';
import { listSessions } from '../../../src/domain/organizations/sessions/list-sessions.js';
import { revokeOtherSessions } from '../../../src/domain/organizations/sessions/revoke-other-sessions.js';
import { revokeSession } from '../../../src/domain/organizations/sessions/revoke-session.js';
import { sweepSessions } from '../../../src/domain/organizations/sessions/sweep-sessions.js';
import {
  type SeededUser,
  seedMember,
  seedOrganization,
  seedSession,
  openTestFoundation,
} from '../../kit/seed.js';

const DAY = 24 * 60 * 60_000;

let instant = Date.parse('2126-11-21T10:00:00.000Z');
const { database, foundation } = await openTestFoundation({ now: () => new Date(instant) });
const seed = await seedOrganization(foundation);
const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'other' });

describe('the sessions of a user', () => {
  let member: SeededUser;

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

  it('are deleted 30 days after they ended, and never while they are valid', async () => {
    const held = await again(member);
    await revokeSession(foundation, held.principal, member.principal.sessionId);
    const ids = async () => {
      const rows = await database.rows(
        sql<{ id: string }>`select id from sessions where user_id = ${member.principal.userId}`,
      );
      return rows.map(({ id }) => id).toSorted();
    };
    const both = [held.principal.sessionId, member.principal.sessionId].toSorted();
    const begin = instant;
    // Far longer than the life of a session, so that only its own expiry matters.
    await database.rows(sql`
      update sessions set expires_at = ${new Date(begin + 90 * DAY)} where id = ${held.principal.sessionId}`);
    instant = begin + 30 * DAY;
    await sweepSessions(foundation).sweep(10_000);
    expect(await ids()).toEqual(both);
    instant = begin + 30 * DAY + 1;
    await sweepSessions(foundation).sweep(10_000);
    expect(await ids()).toEqual([held.principal.sessionId]);
    instant = begin;
  });

  describe('with client details', () => {
    const clientOf = async () => {
      const [row] = await database.rows(
        sql<{ address: string | null; agent: string | null }>`
          select client_address as address, user_agent as agent from sessions
          where id = ${member.principal.sessionId}`,
      );
      return row;
    };
    const client = { address: '192.0.2.7', agent: 'Firefox' };
    let begin: number;
    beforeEach(async () => {
      begin = instant;
      await database.rows(sql`
        update sessions set client_address = ${client.address}, user_agent = ${client.agent}
        where id = ${member.principal.sessionId}`);
    });
    afterEach(() => {
      instant = begin;
    });
    const sweep = () => sweepSessions(foundation).sweep(10_000);

    it('lose them after they were idle too long', async () => {
      instant = begin + 29 * 60_000;
      await sweep();
      expect(await clientOf()).toEqual(client);
      instant = begin + 31 * 60_000;
      await sweep();
      expect(await clientOf()).toEqual({ address: null, agent: null });
    });

    it('lose them after they ended', async () => {
      await revokeSession(foundation, member.principal, member.principal.sessionId);
      expect(await clientOf()).toEqual({ address: null, agent: null });
    });

    it('lose them in the sweep after a process of the previous version, which keeps them, has ended them', async () => {
      await database.rows(sql`
        update sessions set ended_at = ${new Date(instant)} where id = ${member.principal.sessionId}`);
      await sweep();
      expect(await clientOf()).toEqual({ address: null, agent: null });
    });

    it('lose them after they expired, even if they were just used', async () => {
      await database.rows(sql`
        update sessions set expires_at = ${new Date(begin)} where id = ${member.principal.sessionId}`);
      await sweep();
      expect(await clientOf()).toEqual({ address: null, agent: null });
    });
  });

  it('are listed newest first, including the current one', async () => {
    instant += 1_000;
    const second = await again(member);
    expect(await sessionsOf(second)).toEqual([
      {
        id: second.principal.sessionId,
        createdAt: new Date(instant),
        lastSeenAt: new Date(instant),
        expiresAt: new Date(instant + 12 * 3_600_000),
        clientAddress: null,
        userAgent: null,
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

  it('are no longer listed after they expire or are idle too long', async () => {
    instant += 30 * 60_000;
    const fresh = await again(member);
    expect((await sessionsOf(fresh)).map(({ id }) => id)).toEqual([fresh.principal.sessionId]);
  });

  it('end one by one, once, with a log entry each', async () => {
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

  it('end except for the current one', async () => {
    const others = [await again(member), await again(member)];
    expect(await revokeOtherSessions(foundation, member.principal)).toBe(2);
    expect(await isSignedIn(member)).toBe(true);
    for (const user of others) expect(await isSignedIn(user)).toBe(false);
    expect(await revokeOtherSessions(foundation, member.principal)).toBe(0);
    expect(await endings(member)).toHaveLength(2);
  });

  it('are not found by another user', async () => {
    const neighbour = await seedMember(foundation, seed.organization.id);
    for (const id of [neighbour.principal.sessionId, other.owner.principal.sessionId, 'ses_x', '']) {
      await expect(revokeSession(foundation, member.principal, id)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'No such session.',
      });
    }
    expect(await isSignedIn(neighbour)).toBe(true);
  });

  it('are all ended by a member who manages members, who is named in the log entries', async () => {
    await again(member);
    const manager = seed.owner.principal;
    expect(await endMemberSessions(foundation, manager, member.principal.userId)).toBe(2);
    expect(await isSignedIn(member)).toBe(false);
    expect(await endings(member)).toMatchObject(
      [1, 2].map(() => ({ user_id: manager.userId, details: { reason: 'ended_by_manager' } })),
    );
  });

  it('are not ended by a member who does not manage members, nor by a manager of another organization', async () => {
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
