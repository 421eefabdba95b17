import { beforeAll, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { portalStories } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('a report of a log', (story) => {
  let desk: Desk;
  let caseId: string;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    caseId = await desk.openCase('Read and reported on');
  });
  const auditorWith = (common: readonly string[], auditor: readonly string[]) =>
    seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      { applications: [{ foreignId: 'payments', common: [...common], auditor: [...auditor] }] },
      'Lena Lister',
    );
  const MAKE = 'Create a report of the activity log…';

  /** Makes the report that a page offers. Returns the bytes of its file. */
  async function made(page: Page, format: string): Promise<string> {
    await page.getByRole('button', { name: MAKE }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(format, { exact: true }).check();
    await dialog.getByRole('button', { name: 'Create the report' }).click();
    await dialog.waitFor({ state: 'detached' });
    const progress = page.getByRole('status').filter({ hasText: 'Activity log' });
    await progress.getByText('The report is finished.').waitFor();
    const report = page
      .getByRole('list', { name: 'Reports, newest first' })
      .getByRole('listitem')
      .filter({ hasText: `Activity log, ${format}` });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      report.getByRole('link', { name: 'Download' }).click(),
    ]);
    return readFile(await download.path(), 'utf8');
  }

  it('can be created for an application, and contains only its entries', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, '/a/payments/reports');
    // Not here: the way to the reports of a case.
    const ofCase = page.getByText('A report of the transactions of a case is created in the case:');
    expect(await ofCase.getByRole('link', { name: 'Cases' }).getAttribute('href')).toBe(
      '/portal/a/payments/cases',
    );
    const csv = await made(page, 'CSV');
    const [, ...entries] = csv.trim().split(/\r?\n/);
    expect(entries.some((entry) => entry.includes(',case.created,'))).toBe(true);
    expect(entries.filter((entry) => !entry.includes(',payments,'))).toEqual([]);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('can be created for a case, and contains only its entries', async () => {
    const other = await desk.openCase('Another matter');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${caseId}?tab=reports`);
    const json = await made(page, 'JSON');
    expect(json).toContain(caseId);
    expect(json).not.toContain(other);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('can be created for the organization, in the chosen format', async () => {
    const visitor = await story.visit();
    await visitor.enter(desk.everything, '/organization/reports');
    expect(await made(visitor.page, 'PDF')).toMatch(/^%PDF-/);
  });

  it('has a mark in its row for its log entry, which alone is read, however many entries are between two reports', async () => {
    const auditor = await auditorWith([], ['reports:list', 'reports:view_transactions']);
    const ADD = 'mutation ($input: ChangeCaseAuditorInput!) { addCaseAuditor(input: $input) { id } }';
    await desk.asOwner(ADD, {
      input: {
        ...{ foreignId: 'payments', id: caseId, auditorId: auditor.principal.userId },
        reason: 'Reads along',
      },
    });
    for (const format of ['CSV', 'PDF']) {
      const maker = await story.visit();
      await maker.enter(desk.auditor, `/a/payments/cases/${caseId}?tab=reports`);
      await made(maker.page, format);
    }
    await story.logged();
    for (const [who, place, operation] of [
      [desk.everything, '/organization/reports', 'OneEntry'],
      [desk.auditor, '/a/payments/reports', 'OneEntry'],
      // Reads the log of the case, but no other.
      [auditor, `/a/payments/cases/${caseId}?tab=reports`, 'CaseLog'],
    ] as const) {
      const visitor = await story.visit();
      const { page } = visitor;
      const read: (readonly [operation: string, index: unknown])[] = [];
      await visitor.betray((asked, _, { index }) => {
        if (['Log', 'CaseLog', 'OneEntry'].includes(asked)) read.push([asked, index]);
      });
      await visitor.enter(who, place);
      const rows = page.getByRole('list', { name: 'Reports, newest first' }).getByRole('listitem');
      await rows.first().waitFor();
      const count = await rows.count();
      expect(count).toBeGreaterThan(1);
      const indexes: number[] = [];
      for (let at = 0; at < count; at += 1) {
        const mark = rows.nth(at).getByRole('button', { name: /^Entry \d+: Checked here$/ });
        indexes.push(Number(/\d+/.exec((await mark.getAttribute('aria-label')) ?? '')![0]));
      }
      // The log of a case has few others, and cannot be read by index.
      const expected =
        operation === 'OneEntry' ? indexes.map((index) => [operation, index]) : [[operation, undefined]];
      // Each row reads its own.
      const byIndex = read.toSorted(([, one], [, other]) => Number(other) - Number(one));
      expect([place, byIndex]).toEqual([place, expected]);
      expect(await visitor.accessibilityProblems()).toEqual([]);
    }
  });

  it('is offered only to people who may create it', async () => {
    const seesNone = async (who: SeededUser, place: string, heading: string) => {
      const visitor = await story.visit();
      await visitor.enter(who, place);
      await visitor.page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await visitor.page.getByRole('list', { name: 'Reports, newest first' }).waitFor();
      expect(await visitor.page.getByRole('button', { name: MAKE }).count()).toBe(0);
    };
    // Without the permission for the log, and without the permission to make reports.
    await seesNone(
      await auditorWith([], ['reports:create', 'reports:list']),
      '/a/payments/reports',
      'Reports',
    );
    await seesNone(
      await auditorWith(['logs:view_activity'], ['reports:list']),
      '/a/payments/reports',
      'Reports',
    );
    // For a case: an administrator of it who is not assigned.
    await seesNone(desk.administrator, `/a/payments/cases/${caseId}?tab=reports`, 'Read and reported on');
  });
});
