import { beforeAll, expect, it } from '@jest/globals';
import { failGeneration, insertGeneration } from '../../../src/domain/reports/generation/generation-rows.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { portalStories, problemsInEveryLook, until } from '../../kit/browser/portal.js';
import { overSockets } from '../../kit/browser/sockets.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('a report that its requester left while it was created', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  /** A report of the organization's log, and how to let it fail. */
  const beginReport = async () => {
    const { application, organization } = story.app;
    const id = newId('rpt');
    const generation = {
      ...{ id, organizationId: organization.organization.id, applicationId: null, caseId: null },
      ...{ reportType: 'activity_log' as const, requestedBy: desk.everything.principal.userId },
      requestedAt: application.foundation.clock.now(),
    };
    await insertGeneration(application.foundation.database, generation, id, () => Promise.resolve());
    return { fail: (why: string) => failGeneration(application.foundation, id, id, why) };
  };

  /** Begins a report on the page of reports, and leaves it for the relays. */
  const leave = async (running = 1) => {
    const report = await beginReport();
    const visitor = await story.visit();
    const { page } = visitor;
    const sockets = await overSockets(page);
    await visitor.enter(desk.everything, '/organization/reports');
    await page.getByText('The report is being created').first().waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Relays' }).click();
    await page.getByRole('heading', { level: 1, name: 'Relays' }).waitFor();
    // Each is followed again, for its notice.
    await sockets.isAsked('ReportProgress', 2 * running);
    return { report, visitor, page, sockets };
  };

  it('is announced once, in every look at 320 px, and the focus is not lost with the notice', async () => {
    const { report, visitor, page } = await leave();
    await page.setViewportSize({ width: 320, height: 640 });
    await report.fail('The disk is full.');
    const notice = page.getByRole('status').filter({ hasText: 'The report failed. The disk is full.' });
    await notice.waitFor();
    expect(await notice.count()).toBe(1);
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    await notice.getByRole('button', { name: 'Dismiss: Activity log' }).press('Enter');
    await notice.waitFor({ state: 'detached' });
    await until(page, `document.activeElement === document.querySelector('h1')`);
  });

  it('is announced after the gateway had no room to follow it, and after a lost connection', async () => {
    const { report, page, sockets } = await leave();
    sockets.end('ReportProgress', 'UNAVAILABLE');
    await sockets.isAsked('ReportProgress', 3);
    await sockets.away(() => report.fail('It ended meanwhile.'));
    await page.getByText('The report failed. It ended meanwhile.').waitFor();
    await page.getByRole('link', { name: 'Go to the reports' }).click();
    await page.getByRole('heading', { level: 1, name: 'All reports' }).waitFor();
    // The page itself shows its end, and no notice does.
    await page.getByRole('button', { name: 'Dismiss: Activity log' }).waitFor({ state: 'detached' });
  });

  it('is shown after a reload as before it, and its end is announced wherever the reader is then', async () => {
    const report = await beginReport();
    const visitor = await story.visit();
    const { page } = visitor;
    const sockets = await overSockets(page);
    await visitor.enter(desk.everything, '/organization/reports');
    const running = page.getByRole('status').filter({ hasText: 'The report is being created' });
    await running.waitFor();
    await page.reload();
    await running.waitFor();
    expect(await running.count()).toBe(1);
    // Loaded again at another place, which follows the report only after it has read that it runs.
    await page.goto('about:blank');
    const before = sockets.count('ReportProgress');
    await visitor.open('/organization/relays');
    await page.getByRole('heading', { level: 1, name: 'Relays' }).waitFor();
    await sockets.isAsked('ReportProgress', before + 1);
    await report.fail('After a reload.');
    const notice = page.getByRole('status').filter({ hasText: 'The report failed. After a reload.' });
    await notice.waitFor();
    await notice.getByRole('button', { name: 'Dismiss: Activity log' }).click();
    await notice.waitFor({ state: 'detached' });
    // Another report is read with the running ones: the one that was dismissed does not come back.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'All reports' }).click();
    await page.getByRole('heading', { level: 1, name: 'All reports' }).waitFor();
    expect(await page.getByText('After a reload.').count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('is announced beside another one, and each can be dismissed', async () => {
    const first = await beginReport();
    const { report, page } = await leave(2);
    await first.fail('The first one.');
    await report.fail('The second one.');
    await page.getByText('The first one.').waitFor();
    await page.getByText('The second one.').waitFor();
    const dismiss = page.getByRole('button', { name: 'Dismiss: Activity log' });
    await dismiss.first().press('Enter');
    await until(page, `document.activeElement?.textContent === 'Dismiss'`);
    expect(await dismiss.count()).toBe(1);
    await dismiss.press('Enter');
    await dismiss.waitFor({ state: 'detached' });
    await until(page, `document.activeElement === document.querySelector('h1')`);
  });

  it('is not announced to who signs in afterwards in the same tab', async () => {
    const { report, visitor, page, sockets } = await leave();
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const before = sockets.count('ReportProgress');
    await page.getByLabel('E-mail address').fill(desk.administrator.email);
    await page.getByLabel('Password').fill('correct horse battery staple');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
    await report.fail('Of somebody else.');
    await sockets.isAsked('PendingWorkChanged');
    expect(sockets.count('ReportProgress')).toBe(before);
    expect(await page.getByText('Of somebody else.').count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
