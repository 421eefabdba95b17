import { describe, expect, it } from '@jest/globals';
import { selectActivity } from '../../../../src/domain/activity-log/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import { newId } from '../../../../src/platform/kernel/ids.js';
import type { JsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import { approveCaseRequest } from '../../../../src/domain/cases/index.js';
import { PERMISSIONS } from '../../../../src/domain/access/index.js';
import { removeMember, setPermissions } from '../../../../src/domain/organizations/index.js';
import { eventually, notEmpty } from '../../../kit/eventually.js';
import { seedMember, openTestFoundation } from '../../../kit/seed.js';
import { itOnPostgresql } from '../../../kit/database/on-postgresql.js';
import { codeOf, DAY, logOf, openOffice, setClock } from '../kit.js';

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const office = await openOffice(foundation);

describe('deciding a case request', () => {
  it('creates a case whose window begins at the moment of the approval', async () => {
    const { ana, abel, administrator } = office;
    const request = await office.request(ana.principal, {
      auditorIds: [abel.principal.userId, ana.principal.userId],
      disclosureFlags: { withdrawalDetails: true },
    });
    clock.advance(1234);
    const opened = await office.approve(request.id, administrator.principal, 'Fits the mandate');
    expect(opened).toMatchObject({
      requestId: request.id,
      status: 'active',
      reason: 'Quarterly audit',
      periodFrom: '2026-01-01',
      periodTo: '2026-03-31',
      accessDays: 30,
      disclosureFlags: { fullTxIds: false, senderInformation: false, withdrawalDetails: true },
      assetIds: request.assetIds,
      approvedBy: administrator.principal.userId,
      createdAt: clock.now(),
      expiresAt: new Date(clock.now().getTime() + 30 * DAY),
      secondsLeft: 30 * 86_400,
    });
    expect(opened.auditors.map(({ name }) => name).sort()).toEqual(['Abel Auditor', 'Ana Auditor']);
    expect(await logOf(foundation, opened.id)).toEqual(['case_request.approved', 'case.created']);
    const [, approved] = await selectActivity(
      database,
      { organizationId: office.organization.id, caseId: opened.id },
      {},
      { before: undefined, limit: 2 },
    );
    expect(approved).toMatchObject({
      user: 'Ada Administrator',
      object: { id: request.id, requested_by: { user_id: ana.principal.userId, name: 'Ana Auditor' } },
      details: { reason: 'Fits the mandate' },
      caseId: opened.id,
    });
  });

  it('is refused to an administrator who lost the permission while the decision waited', async () => {
    const { owner, foreignId, organization } = office;
    const granted = (administrator: readonly string[]) => ({ applications: [{ foreignId, administrator }] });
    const { principal } = await seedMember(
      foundation,
      organization.id,
      granted(PERMISSIONS.administrator),
      'Aldo Administrator',
    );
    const request = await office.request();
    await setPermissions(foundation, owner.principal, {
      memberId: principal.userId,
      permissions: granted(['cases:list']),
    });
    expect(await codeOf(office.approve(request.id, principal))).toBe('FORBIDDEN');
    expect(await codeOf(office.close(request.id, principal))).toBe('FORBIDDEN');
    expect(await codeOf(office.approve(request.id))).toBe('DONE');
  });

  it('creates no case if the request is closed or withdrawn, and records which it was', async () => {
    const closed = await office.close((await office.request()).id, undefined, 'Too wide');
    expect(closed).toMatchObject({
      status: 'closed',
      withdrawn: false,
      decisionReason: 'Too wide',
      decidedBy: office.administrator.principal.userId,
      decidedAt: clock.now(),
      caseId: null,
    });
    const withdrawn = await office.withdraw((await office.request()).id);
    expect(withdrawn).toMatchObject({ status: 'closed', withdrawn: true, caseId: null });
    expect(await logOf(foundation, closed.id)).toEqual(['case_request.created', 'case_request.closed']);
    expect(await logOf(foundation, withdrawn.id)).toEqual(['case_request.created', 'case_request.withdrawn']);
  });

  it('succeeds once: every later decision is a CONFLICT', async () => {
    for (const first of ['approve', 'close', 'withdraw'] as const) {
      const { id } = await office.request();
      await office[first](id);
      for (const second of ['approve', 'close', 'withdraw'] as const)
        expect(await codeOf(office[second](id))).toBe('CONFLICT');
    }
  });

  it('is refused without the permission, and a withdrawal is allowed only to the requester', async () => {
    const { id } = await office.request();
    const other = await openOffice(foundation, 'elsewhere');
    const lister = await seedMember(foundation, office.organization.id, {
      applications: [{ foreignId: 'payments', administrator: ['cases:list'] }],
    });
    for (const principal of [office.ana, office.owner, lister, other.administrator].map(
      (user) => user.principal,
    )) {
      expect(await codeOf(office.approve(id, principal))).toBe('FORBIDDEN');
      expect(await codeOf(office.close(id, principal))).toBe('FORBIDDEN');
    }
    expect(await codeOf(office.withdraw(id, office.administrator.principal))).toBe('FORBIDDEN');
    expect(await codeOf(office.withdraw(id, office.abel.principal))).toBe('NOT_FOUND');
    // In the same organization, but of another application.
    expect(await codeOf(other.approve(id))).toBe('NOT_FOUND');
    for (const unknown of [newId('crq'), 'crq_1', '']) {
      expect(await codeOf(office.approve(unknown))).toBe('NOT_FOUND');
      expect(await codeOf(office.withdraw(unknown))).toBe('NOT_FOUND');
    }
    expect(await logOf(foundation, id)).toEqual(['case_request.created']);
  });

  it('requires a second person only in organizations that demand it', async () => {
    const both = await seedMember(foundation, office.organization.id, {
      applications: [
        { foreignId: 'payments', administrator: PERMISSIONS.administrator, auditor: PERMISSIONS.auditor },
      ],
    });
    const demand = (required: boolean) =>
      database.rows(sql`
        update organizations set require_second_person = ${required} where id = ${office.organization.id}`);
    const { id } = await office.request(both.principal);
    await demand(true);
    expect(await codeOf(office.approve(id, both.principal))).toBe('FORBIDDEN');
    expect(await logOf(foundation, id)).toEqual(['case_request.created']);
    expect(await codeOf(office.approve(id))).toBe('DONE');
    await demand(false);
    expect(await codeOf(office.approve((await office.request(both.principal)).id, both.principal))).toBe(
      'DONE',
    );
  });

  it('is refused to the auditors that it names, where a second person is required', async () => {
    const home = await openOffice(foundation);
    const both = await seedMember(foundation, home.organization.id, {
      applications: [
        { foreignId: 'payments', administrator: PERMISSIONS.administrator, auditor: PERMISSIONS.auditor },
      ],
    });
    const { userId } = both.principal;
    const auditorIds = [home.ana.principal.userId, userId];
    const asked = await home.request(home.ana.principal, { auditorIds });
    await database.rows(sql`
      update organizations set require_second_person = true where id = ${home.organization.id}`);
    await expect(home.approve(asked.id, both.principal)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      reason: 'second_person_required',
    });
    const grant = { auditorIds: [home.ana.principal.userId] };
    const approval = { foreignId: 'payments', id: asked.id, grant };
    const { auditors } = await approveCaseRequest(foundation, both.principal, approval);
    expect(auditors.map(({ id }) => id)).toEqual(grant.auditorIds);
    const again = await home.request(home.ana.principal, { auditorIds });
    expect((await home.approve(again.id)).auditors).toHaveLength(2);
  });

  it('is refused to the person who filed it, even after they left and rejoined', async () => {
    const both = () =>
      seedMember(foundation, home.organization.id, {
        applications: [
          { foreignId: 'payments', administrator: PERMISSIONS.administrator, auditor: PERMISSIONS.auditor },
        ],
      });
    const home = await openOffice(foundation);
    const before = await both();
    const { id } = await home.request(before.principal);
    const late = await home.request();
    clock.advance(1000);
    await removeMember(foundation, home.owner.principal, before.principal.userId);
    const back = await both();
    await database.rows(sql`
      update organizations set require_second_person = true where id = ${home.organization.id}`);
    await expect(home.approve(id, back.principal)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      reason: 'second_person_required',
    });
    expect(await codeOf(home.approve(late.id, back.principal))).toBe('DONE');
    expect(await codeOf(home.approve(id))).toBe('DONE');
  });

  itOnPostgresql(
    'requires a second person if the organization turns the rule on while the approval waits',
    async () => {
      const both = await seedMember(foundation, office.organization.id, {
        applications: [
          { foreignId: 'payments', administrator: PERMISSIONS.administrator, auditor: PERMISSIONS.auditor },
        ],
      });
      const { id } = await office.request(both.principal);
      const locked = Promise.withResolvers<undefined>();
      const { promise: isOver, resolve: release } = Promise.withResolvers<undefined>();
      const holding = database.transaction(async (transaction) => {
        await transaction.rows(sql`
        select from applications where organization_id = ${office.organization.id} for update`);
        locked.resolve(undefined);
        await isOver;
      });
      await locked.promise;
      const approval = codeOf(office.approve(id, both.principal));
      const waiting = sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(() => database.rows(waiting), notEmpty);
      await database.rows(sql`
      update organizations set require_second_person = true where id = ${office.organization.id}`);
      release(undefined);
      await holding;
      expect(await approval).toBe('FORBIDDEN');
      expect(await logOf(foundation, id)).toEqual(['case_request.created']);
    },
  );

  it('names current members in the log, and only the ids of former members', async () => {
    const leaver = await seedMember(
      foundation,
      office.organization.id,
      { applications: [{ foreignId: 'payments', auditor: PERMISSIONS.auditor }] },
      'Lea Leaver',
    );
    const { userId } = leaver.principal;
    const both = { auditorIds: [office.ana.principal.userId, userId] };
    const [one, other] = [
      await office.request(leaver.principal, both),
      await office.request(leaver.principal),
    ];
    await removeMember(foundation, office.owner.principal, userId);
    await office.approve(one.id);
    await office.close(other.id);
    const rows = await database.rows(sql<{ entry: JsonObject; salts: JsonObject }>`
      select entry, salts from activity_entries where event_type = any(${[
        'case_request.approved',
        'case_request.closed',
        'case.created',
      ]}::text[]) order by sequence desc limit 3`);
    expect(JSON.stringify(rows)).not.toContain('Lea Leaver');
    expect(rows.map(({ entry }) => (entry['object'] as JsonObject)['requested_by'])).toEqual([
      { user_id: userId },
      undefined,
      { user_id: userId },
    ]);
    expect((rows[1]!.entry['details'] as JsonObject)['auditors']).toEqual([
      { user_id: office.ana.principal.userId, name: { sha256: expect.any(String) } },
      { user_id: userId },
    ]);
  });

  it('has one winner among fifty concurrent ones, with at most one case and one set of entries', async () => {
    for (const winners of [['approve'], ['approve', 'close', 'withdraw']] as const) {
      const { id } = await office.request();
      const decisions = Array.from({ length: 50 }, (_, index) => winners[index % winners.length]!);
      const codes = await Promise.all(decisions.map((decision) => codeOf(office[decision](id))));
      expect(codes.filter((code) => code === 'DONE')).toHaveLength(1);
      expect(codes.filter((code) => code === 'CONFLICT')).toHaveLength(49);

      const won = decisions[codes.indexOf('DONE')]!;
      const cases = await database.rows(sql<{ id: string }>`select id from cases where request_id = ${id}`);
      expect(cases).toHaveLength(won === 'approve' ? 1 : 0);
      const expected = {
        approve: ['case_request.created', 'case_request.approved'],
        close: ['case_request.created', 'case_request.closed'],
        withdraw: ['case_request.created', 'case_request.withdrawn'],
      }[won];
      expect(await logOf(foundation, id)).toEqual(expected);
      if (cases[0])
        expect(await logOf(foundation, cases[0].id)).toEqual(['case_request.approved', 'case.created']);
    }
  });
});
