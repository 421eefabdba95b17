import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  exportActivityLog,
  listActivity,
  retainedValues,
  sequenceEntries,
  verifyLogFile,
} from '../../../src/domain/activity-log/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { operatorOf } from '../../../src/domain/access/index.js';
import {
  erasePersonalValues,
  removeMember,
  setPermissions,
} from '../../../src/domain/organizations/index.js';
import { placeLegalHold } from '../../../src/domain/organizations/retention/place-legal-hold.js';
import { eventually, notEmpty } from '../../kit/eventually.js';
import { openGate } from '../../kit/process/gate.js';
import {
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
  openTestFoundation,
} from '../../kit/seed.js';
import { findCaseRequest } from '../../../src/domain/cases/index.js';
import { openOffice } from '../cases/kit.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { act, faultsOfLog, PUBLIC_HOST, sequence } from './kit.js';

const { database, foundation } = await openTestFoundation();

describe('erasing a person from the log', () => {
  let seed: SeededOrganization;
  let leaver: SeededUser;
  beforeEach(async () => {
    seed = await seedOrganization(foundation);
    leaver = await seedMember(foundation, seed.organization.id, {}, 'Lea Leaver');
    const { userId, name } = leaver.principal;
    await act(foundation, seed.organization.id, 3, { actor: { id: userId, name } });
    await setPermissions(foundation, seed.owner.principal, {
      memberId: userId,
      permissions: { owner: ['applications:read'] },
    });
    await removeMember(foundation, seed.owner.principal, userId);
    await sequence(foundation);
  });

  const erase = () => erasePersonalValues(foundation, seed.owner.principal, leaver.principal.userId);
  const stored = async () => {
    const [row] = await database.rows(sql<{ text: string }>`
      select coalesce(string_agg(entry::text || salts::text, ''), '') as text from activity_entries
      where organization_id = ${seed.organization.id}`);
    return row!.text;
  };

  it('removes all names and addresses of the person from storage, and no one else’s', async () => {
    expect(await stored()).toContain('Lea Leaver');
    expect(await stored()).toContain(leaver.email);
    const erased = await erase();
    expect(erased.entries).toBeGreaterThanOrEqual(6);
    expect(erased.values).toBeGreaterThan(erased.entries);
    expect(await stored()).not.toContain('Lea Leaver');
    expect(await stored()).not.toContain(leaver.email);
    // The entry still names the person who removed the former member, but no longer the former member.
    const { nodes } = await listActivity(foundation, seed.owner.principal, { eventType: 'member.removed' });
    expect(nodes[0]).toMatchObject({
      user: 'Acme Owner',
      object: { user_id: leaver.principal.userId, name: { sha256: expect.any(String) } },
    });
  });

  it('leaves neither name nor address in any database table', async () => {
    const office = await openOffice(foundation, `office-${Date.now()}`);
    const { userId, name, email } = office.abel.principal;
    // The former member requested a case, was assigned to it, and was refused an action.
    const request = await office.request(office.abel.principal, { auditorIds: [userId] });
    await office.approve(request.id);
    await database.rows(sql`
      insert into security_events (organization_id, event, subject_id, client_address, request_id, created_at)
      values (${office.organization.id}, 'permission.refused', ${userId}, '203.0.113.77', 'r-1', now())`);
    await database.rows(sql`
      insert into invitations (id, organization_id, email, name, permissions, token_hash, invited_by, created_at,
        expires_at, accepted_at)
      values ('inv_1', ${office.organization.id}, ${email.toUpperCase()}, ${name}, '{}', '\\x01', 'operator', now(), now(),
        now())`);
    await sequence(foundation);
    await removeMember(foundation, office.owner.principal, userId);
    await sequence(foundation);
    const traces = async () => {
      const tables = await database.rows(sql<{ name: string }>`
        select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE'`);
      const found = [];
      for (const table of tables) {
        const rows = await database.rows(sql<{ text: string }>`
          select whole::text as text from ${sql.table(table.name)} as whole`);
        const holds = rows.some(({ text }) =>
          [name, email, '203.0.113.77'].some((value) => text.includes(value)),
        );
        if (holds) found.push(table.name);
      }
      return found.sort();
    };
    expect(await traces()).toEqual(['activity_entries', 'invitations', 'security_events', 'users']);
    await erasePersonalValues(foundation, office.owner.principal, userId);
    expect(await traces()).toEqual([]);
    const seen = await findCaseRequest(foundation, office.administrator.principal, {
      foreignId: office.foreignId,
      id: request.id,
    });
    expect(seen.requestedBy).toEqual({ id: userId, name: 'Erased', email: `${userId}@erased.invalid` });
    expect(seen.auditors).toEqual([seen.requestedBy]);
  });

  it('preserves every leaf, proof and checkpoint, before and after the erasure itself is logged', async () => {
    const before = await exportActivityLog(foundation, seed.owner.principal, {});
    await erase();
    expect(await faultsOfLog(database, seed.organization.id)).toEqual([]);
    await sequence(foundation);
    const after = await exportActivityLog(foundation, seed.owner.principal, {});
    expect(
      verifyLogFile(after, { since: before.checkpoint, complete: true }).checks.filter(
        ({ passed }) => !passed,
      ),
    ).toEqual([]);
    expect(after.entries.slice(0, before.entries.length).map(({ entry }) => entry)).toEqual(
      before.entries.map(({ entry }) => entry),
    );
    // An earlier export still verifies: its statements were true.
    expect(verifyLogFile(before).valid).toBe(true);
    const { nodes } = await listActivity(foundation, seed.owner.principal, {
      userId: leaver.principal.userId,
    });
    expect(new Set(nodes.map(({ user }) => user))).toEqual(new Set([null]));
  });

  it('is logged once, without the person’s name', async () => {
    await erase();
    expect(await erase()).toMatchObject({ entries: 0, values: 0 });
    const { nodes } = await listActivity(foundation, seed.owner.principal, { eventType: 'member.erased' });
    expect(nodes.map(({ object, userId }) => [object, userId])).toEqual([
      [{ user_id: leaver.principal.userId }, seed.owner.principal.userId],
    ]);
  });

  it('deletes the person’s past invitations, but no pending ones and no one else’s', async () => {
    const { userId } = leaver.principal;
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: `other-${Date.now()}` });
    const past = sql`now() - interval '1 day'`;
    const next = sql`now() + interval '1 day'`;
    const invite = (
      name: string,
      { to = leaver.email, of: organization = seed, user = null, ends = next, ...past }: Invited,
    ) =>
      database.rows(sql`
        insert into invitations (id, organization_id, user_id, email, name, permissions, token_hash, invited_by, created_at,
          expires_at, accepted_at, revoked_at)
        values (${`inv_${name} ${userId}`}, ${organization.organization.id}, ${user}, ${to}, 'Lea', '{}',
          ${Buffer.from(name + userId)}, 'operator', now(), ${ends}, ${past.accepted ?? null}, ${past.revoked ?? null})`);
    interface Invited {
      readonly to?: string;
      readonly of?: SeededOrganization;
      readonly user?: string | null;
      readonly ends?: ReturnType<typeof sql>;
      readonly accepted?: ReturnType<typeof sql>;
      readonly revoked?: ReturnType<typeof sql>;
    }
    await invite('to an earlier address', { to: 'lea@earlier.example', user: userId, accepted: past });
    await invite('revoked', { revoked: past });
    await invite('expired', { to: leaver.email.toUpperCase(), ends: past });
    await invite('waits', {});
    await invite('of somebody else', { to: 'else@acme.example', accepted: past });
    await invite('elsewhere', { of: other, accepted: past });
    await erase();
    const left = await database.rows(sql<{ id: string }>`
      select id from invitations where id like ${`inv_% ${userId}`} order by id`);
    expect(left.map(({ id }) => id.replace(` ${userId}`, ''))).toEqual([
      'inv_elsewhere',
      'inv_of somebody else',
      'inv_waits',
    ]);
  });

  it('deletes the person’s client addresses, and no one else’s', async () => {
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: `other-${Date.now()}` });
    const { userId } = leaver.principal;
    const refused = (organizationId: string, subject: string) =>
      database.rows(sql`
        insert into security_events (organization_id, event, subject_id, client_address, request_id, created_at)
        values (${organizationId}, 'permission.refused', ${subject}, '203.0.113.77', 'r-1', now())`);
    await refused(seed.organization.id, userId);
    await refused(seed.organization.id, seed.owner.principal.userId);
    await refused(other.organization.id, userId);
    await erase();
    const left = await database.rows(sql<{ organization: string; subject: string }>`
      select organization_id as organization, subject_id as subject from security_events
      where organization_id in (${seed.organization.id}, ${other.organization.id}) order by sequence`);
    expect(left).toEqual([
      { organization: seed.organization.id, subject: seed.owner.principal.userId },
      { organization: other.organization.id, subject: userId },
    ]);
  });

  it('is logged even if nothing was left to erase, and again if values were added later', async () => {
    const { userId, name } = leaver.principal;
    const logged = async () => {
      const { nodes } = await listActivity(foundation, seed.owner.principal, { eventType: 'member.erased' });
      return nodes.map(({ details }) => details);
    };
    await database.rows(
      sql`update activity_entries set salts = '{}' where organization_id = ${seed.organization.id}`,
    );
    expect(await erase()).toMatchObject({ entries: 0, values: 0 });
    expect(await logged()).toEqual([{ entries: 0, values: 0 }]);
    await act(foundation, seed.organization.id, 2, { actor: { id: userId, name } });
    // Also for an entry that waits for the sequencer.
    expect(await stored()).toContain('Lea Leaver');
    expect(await erase()).toMatchObject({ entries: 2, values: 4 });
    expect(await stored()).not.toContain('Lea Leaver');
    expect(await logged()).toEqual([
      { entries: 2, values: 4 },
      { entries: 0, values: 0 },
    ]);
    await sequence(foundation);
    expect(await faultsOfLog(database, seed.organization.id)).toEqual([]);
  });

  it('includes entries that wait for the sequencer, and runs concurrently with it', async () => {
    const { userId, name } = leaver.principal;
    await act(foundation, seed.organization.id, 20, { actor: { id: userId, name } });
    await Promise.all([erase(), sequence(foundation)]);
    await sequence(foundation);
    expect(await stored()).not.toContain('Lea Leaver');
    expect(await faultsOfLog(database, seed.organization.id)).toEqual([]);
  });

  describe('during the erasure', () => {
    /** Locks a row that the work needs, until `inTheMiddle` ends. */
    async function whileHeld(
      row: ReturnType<typeof sql>,
      work: () => Promise<unknown>,
      inTheMiddle: () => Promise<unknown>,
    ): Promise<void> {
      using gate = openGate();
      const holding = database.transaction(async (transaction) => {
        await transaction.rows(row);
        await gate.until();
      });
      await gate.arrived;
      const working = work();
      const blocked = sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(() => database.rows(blocked), notEmpty);
      await inTheMiddle().finally(gate.release);
      await Promise.all([working, holding]);
    }
    const appendAndSequence = async () => {
      await act(foundation, seed.organization.id, 1);
      const log = { organizationId: seed.organization.id, publicHost: PUBLIC_HOST };
      expect(await sequenceEntries(foundation, log)).toBe(1);
    };

    itOnPostgresql('entries can be added and sequenced', async () => {
      const { email, name } = leaver.principal;
      await database.rows(sql`
        insert into invitations (id, organization_id, email, name, permissions, token_hash, invited_by, created_at,
          expires_at, accepted_at)
        values ('inv_held', ${seed.organization.id}, ${email}, ${name}, '{}', '\\x02', 'operator', now(), now(), now())`);
      await whileHeld(
        sql`select from invitations where id = 'inv_held' for update`,
        erase,
        appendAndSequence,
      );
      expect(await stored()).not.toContain('Lea Leaver');
      await sequence(foundation);
      expect(await faultsOfLog(database, seed.organization.id)).toEqual([]);
    });

    itOnPostgresql('entries can be added while old values of all organizations are deleted', async () => {
      const batch = {
        organizationId: seed.organization.id,
        before: new Date(Date.now() + 1_000),
        at: new Date(),
        limit: 1_000,
      };
      await whileHeld(
        sql`select from activity_entries where organization_id = ${seed.organization.id} and log_index = 0 for update`,
        () => database.transaction((transaction) => retainedValues.remove(transaction, batch)),
        appendAndSequence,
      );
      expect(await stored()).not.toContain('Lea Leaver');
      expect(await faultsOfLog(database, seed.organization.id)).toEqual([]);
    });
  });

  describe('in an organization that requires a second person', () => {
    beforeEach(() =>
      database.rows(
        sql`update organizations set require_second_person = true where id = ${seed.organization.id}`,
      ),
    );

    it('is not in the power of one insider, who removes an accomplice and then the traces', async () => {
      const refused = { code: 'CONFLICT', reason: 'second_person_required' };
      await expect(erase()).rejects.toMatchObject(refused);
      await expect(erase()).rejects.toMatchObject(refused);
      expect(await stored()).toContain('Lea Leaver');
      expect(await stored()).toContain(leaver.email);
      // Another owner who manages members erases the same person: now it takes effect.
      const other = await seedMember(foundation, seed.organization.id, { owner: ['members:manage'] });
      const erased = await erasePersonalValues(foundation, other.principal, leaver.principal.userId);
      expect(erased.values).toBeGreaterThan(0);
      expect(await stored()).not.toContain('Lea Leaver');
      await sequence(foundation);
      expect(await faultsOfLog(database, seed.organization.id)).toEqual([]);
    });

    it('is refused, and not proposed, for a member, and while a legal hold is in force', async () => {
      const member = await seedMember(foundation, seed.organization.id, {});
      await expect(
        erasePersonalValues(foundation, seed.owner.principal, member.principal.userId),
      ).rejects.toThrow('The user is a member');
      await placeLegalHold(foundation, seed.owner.principal, { reason: 'An investigation' });
      await expect(erase()).rejects.toThrow(/^The legal hold hld_\w+ is in force/);
      expect(
        await database.rows(sql`
          select from proposed_operations where organization_id = ${seed.organization.id}`),
      ).toEqual([]);
    });
  });

  it('is allowed to members who manage members and to the operator, after the membership has ended', async () => {
    const member = await seedMember(foundation, seed.organization.id, { owner: ['logs:view_activity'] });
    const { userId } = leaver.principal;
    await expect(erasePersonalValues(foundation, member.principal, userId)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(
      erasePersonalValues(foundation, seed.owner.principal, member.principal.userId),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' });
    for (const [caller, user] of [
      [other.owner.principal, userId],
      [seed.owner.principal, newId('usr')],
      [seed.owner.principal, 'nobody'],
    ] as const) {
      await expect(erasePersonalValues(foundation, caller, user)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    expect(await stored()).toContain('Lea Leaver');
    await erasePersonalValues(foundation, operatorOf(seed.organization.id), userId);
    expect(await stored()).not.toContain('Lea Leaver');
  });
});
