import { describe, expect, it } from '@jest/globals';
import { extractText, getDocumentProxy } from 'unpdf';
import { newestCheckpoint, verifyLogFile } from '../../../src/domain/activity-log/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { erasePersonalValues, removeMember } from '../../../src/domain/organizations/index.js';
import type { Principal } from '../../../src/domain/access/index.js';
import { listCaseActivity } from '../../../src/domain/reports/list-case-activity.js';
import { forFile } from '../../kit/for-file.js';
import { seedMember, openTestFoundation } from '../../kit/seed.js';
import { act, loggedEntries, sequence } from '../activity-log/kit.js';
import { codeOf, DAY, openOffice, setClock } from '../cases/kit.js';
import { bytesOf, logReport, parseCsv, reportingOf, textOf } from './kit.js';

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const office = await openOffice(foundation);
const reporting = forFile(reportingOf(foundation, office.pool));
const record = await office.open();
const permissions = {
  applications: [
    {
      foreignId: 'payments',
      common: ['logs:view_activity'],
      auditor: ['reports:create', 'reports:list', 'reports:download'],
    },
  ],
};
const exporter = (await seedMember(foundation, office.organization.id, permissions)).principal;

describe('a report on the activity log', () => {
  const owner = () => office.owner.principal;
  const verify = async (report: Awaited<ReturnType<typeof logReport>>, complete: boolean) => {
    const { verifierKey } = await newestCheckpoint(database, office.organization.id);
    const file: unknown = JSON.parse(await textOf(foundation, report));
    return verifyLogFile(file, { complete, verifierKey });
  };

  it('is the export that verifies offline, with everything logged before the request', async () => {
    const [last] = await act(foundation, office.organization.id);
    const entries = await loggedEntries(database, office.organization.id);
    expect(entries.find(({ id }) => id === last)!.index).toBeNull();
    const report = await logReport(reporting, owner());
    expect(report).toMatchObject({ format: 'json', reportType: 'activity_log', applicationId: null });
    expect(report.recordCount).toBe(entries.length);
    expect((await verify(report, true)).checks.filter(({ passed }) => !passed)).toEqual([]);
  });

  it('does not contain its own creation, which the next report does', async () => {
    const first = await logReport(reporting, owner());
    const second = await logReport(reporting, owner());
    expect(await textOf(foundation, first)).not.toContain(first.id);
    expect(JSON.parse(await textOf(foundation, second))).toMatchObject({
      entries: expect.arrayContaining([
        expect.objectContaining({
          entry: expect.objectContaining({
            event_type: 'log.exported',
            object: { type: 'activity_log', scope: 'organization', report_id: first.id },
            details: expect.objectContaining({
              salted_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
              entries: first.recordCount,
            }),
          }),
        }),
      ]),
    });
  });

  it('contains only the entries of its application or case, and verifies', async () => {
    const ofApplication = await logReport(reporting, exporter, { foreignId: 'payments' });
    const ofCase = await logReport(reporting, office.ana.principal, {
      foreignId: 'payments',
      caseId: record.id,
    });
    expect(ofApplication.applicationId).toBe(office.application.id);
    expect(ofCase).toMatchObject({ caseId: record.id, periodFrom: null, assetIds: null });
    for (const [report, member, value] of [
      [ofApplication, 'application_foreign_id', 'payments'],
      [ofCase, 'case_id', record.id],
    ] as const) {
      expect((await verify(report, false)).valid).toBe(true);
      const { entries } = JSON.parse(await textOf(foundation, report)) as {
        entries: { entry: Record<string, unknown> }[];
      };
      expect(entries.length).toBe(report.recordCount);
      expect(entries.length).toBeGreaterThan(0);
      expect(new Set(entries.map(({ entry }) => entry[member]))).toEqual(new Set([value]));
    }
  });

  it('has in its CSV a row for each entry, with the names that were not erased', async () => {
    const leaver = await seedMember(foundation, office.organization.id, {}, 'Lea Leaver');
    await removeMember(foundation, owner(), leaver.principal.userId);
    const before = await textOf(foundation, await logReport(reporting, owner(), { format: 'csv' }));
    expect(before).toContain('Lea Leaver');
    await erasePersonalValues(foundation, owner(), leaver.principal.userId);
    const report = await logReport(reporting, owner(), { format: 'csv' });
    const text = await textOf(foundation, report);
    expect(text).not.toContain('Lea Leaver');
    const [header, ...rows] = parseCsv(text);
    expect(header).toEqual([
      ...['index', 'created_at', 'event_type', 'user', 'user_id', 'application_foreign_id', 'case_id'],
      ...['object', 'details'],
    ]);
    expect(rows.map(([index]) => Number(index))).toEqual(rows.map((_, index) => index));
    expect(rows).toHaveLength(report.recordCount);
    expect(rows.every((row) => row.length === header!.length)).toBe(true);
  });

  it('shows in its PDF the entries on numbered pages, with the table header on each', async () => {
    await act(foundation, office.organization.id, 60);
    const report = await logReport(reporting, owner(), { format: 'pdf' });
    const pdf = await getDocumentProxy(new Uint8Array(await bytesOf(foundation, report)));
    const { text, totalPages } = await extractText(pdf, { mergePages: false });
    const tables = text.slice(1, -1);
    expect(totalPages).toBeGreaterThan(4);
    for (const page of tables) expect(page).toContain('Time (UTC)');
    expect(text.join(' ')).toContain('number: 59');
    expect(text.join(' ')).toMatch(/é\s*→\s*∞/);
    expect(text.at(-1)).toMatch(/Every character of this document is shown as it was recorded\./);
  });

  it('requires at each scope the permissions that the interface names', async () => {
    const auditor = office.ana.principal;
    const refused = (principal: Principal | undefined, input: object = {}) =>
      codeOf(logReport(reporting, principal as Principal, input));
    expect(await refused(undefined)).toBe('UNAUTHENTICATED');
    expect(await refused(auditor)).toBe('FORBIDDEN');
    expect(await refused(owner(), { foreignId: 'payments' })).toBe('FORBIDDEN');
    // An auditor without logs:view_activity, and one without reports:view_transactions.
    expect(await refused(auditor, { foreignId: 'payments' })).toBe('FORBIDDEN');
    expect(await refused(exporter, { foreignId: 'payments', caseId: record.id })).toBe('FORBIDDEN');
    expect(await refused(office.abel.principal, { foreignId: 'payments', caseId: record.id })).toBe(
      'NOT_FOUND',
    );
    expect(await refused(owner(), { format: 'xml' })).toBe('BAD_USER_INPUT');
    expect(await refused(owner(), { caseId: record.id })).toBe('BAD_USER_INPUT');
  });

  it('is not created for a user who lost a permission meanwhile', async () => {
    const permissions = {
      owner: ['reports:create'],
      applications: [{ foreignId: 'payments', common: ['logs:view_activity'], auditor: ['reports:create'] }],
    };
    const { principal } = await seedMember(foundation, office.organization.id, permissions);
    const foreignId = 'payments';
    expect(await codeOf(logReport(reporting, principal))).toBe('DONE');
    expect(await codeOf(logReport(reporting, principal, { foreignId }))).toBe('DONE');
    // The principal of a request that began earlier still has them.
    await database.rows(
      sql`delete from permission_grants where user_id = ${principal.userId} and bucket = 'common'`,
    );
    expect(await codeOf(logReport(reporting, principal, { foreignId }))).toBe('FORBIDDEN');
    expect(await codeOf(logReport(reporting, principal))).toBe('DONE');
    await removeMember(foundation, owner(), principal.userId);
    expect(await codeOf(logReport(reporting, principal))).toBe('FORBIDDEN');
  });

  it('is not needed to list the log of a case: its assigned auditors can, within the window', async () => {
    const list = (principal: Principal, caseId: string = record.id) =>
      listCaseActivity(foundation, principal, { foreignId: 'payments', caseId });
    const { nodes } = await list(office.ana.principal);
    expect(nodes.map(({ eventType }) => eventType)).toContain('case.created');
    expect(new Set(nodes.map(({ caseId }) => caseId))).toEqual(new Set([record.id]));
    expect(await codeOf(list(office.abel.principal))).toBe('NOT_FOUND');
    expect(await codeOf(list(office.ana.principal, 'cas_1'))).toBe('NOT_FOUND');
    expect(await codeOf(list(office.administrator.principal))).toBe('FORBIDDEN');
    expect(await codeOf(list(exporter))).toBe('FORBIDDEN');
    clock.advance(30 * DAY);
    expect(await codeOf(list(office.ana.principal))).toBe('NOT_FOUND');
    clock.set('2026-03-10T12:00:00.000Z');
  });

  it('fails when the log contradicts its signed checkpoints, and leaves nothing', async () => {
    const other = await openOffice(foundation, 'broken');
    await sequence(foundation);
    await database.rows(sql`
      update log_tiles set hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0))
      where organization_id = ${other.organization.id}`);
    await act(foundation, other.organization.id);
    await expect(logReport(reporting, other.owner.principal)).rejects.toThrow(/tiles/);
    const rows = await database.rows(sql`
      select content_id from report_chunks where content_id in
        (select id from report_generations where organization_id = ${other.organization.id})`);
    expect(rows).toEqual([]);
  });
});
