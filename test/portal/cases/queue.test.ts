import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createCaseRequest } from '../../../src/domain/cases/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { portalStories, until } from '../../kit/browser/portal.js';
import { arriveAt, openDesk, type Desk } from '../kit.js';

portalStories('the queue of pending decisions', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  const close = async (page: Page) => {
    await page.getByRole('button', { name: 'Close…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel('Reason').fill('Not needed');
    await dialog.getByRole('button', { name: 'Close the request' }).click();
  };

  it('leads to the next request, from the last one to the oldest, and then to the list', async () => {
    await desk.ask('First in the queue');
    const second = await desk.ask('Second in the queue');
    await desk.ask('Third in the queue');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, `/a/payments/requests/${second}`);
    await page.getByRole('button', { name: 'Approve…' }).click();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Open the case for 1 auditor' }).click();
    await arriveAt(page, 'Third in the queue');
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    // The page that opens next shows the decision.
    const notice = page.getByRole('status').filter({ hasText: /^You (approved|closed): / });
    await notice.getByRole('link', { name: 'Second in the queue' }).waitFor();
    await notice.getByRole('link', { name: 'Open the case' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await close(page);
    await arriveAt(page, 'First in the queue');
    await notice.getByRole('link', { name: 'Third in the queue' }).waitFor();
    await close(page);
    await arriveAt(page, 'Case requests');
    await notice.getByText('You closed: First in the queue').waitFor();
    await page.getByText('No request is pending.').waitFor();
  });

  it('stays at the request if that is selected, with a link to the case', async () => {
    await desk.ask('Waits meanwhile');
    const id = await desk.ask('Looked at afterwards');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, `/a/payments/requests/${id}`);
    await page.getByRole('button', { name: 'Approve…' }).click();
    await page.getByLabel('Stay here').check();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await page.getByRole('button', { name: 'Open the case for 1 auditor' }).click();
    await page.getByText('Decided by Ada Administrator').waitFor();
    // The next pending request was not requested, and the decision has the focus.
    expect(asked.filter((body) => body.includes('mutation ApproveCaseRequest'))).toHaveLength(1);
    expect(asked.filter((body) => body.includes('query DisclosureRegistry'))).toEqual([]);
    await until(page, 'document.activeElement.textContent.startsWith("Decided by Ada Administrator")');
    await page.getByRole('link', { name: 'Open the case' }).click();
    await arriveAt(page, 'Looked at afterwards');
    await page.waitForURL(/\/cases\/cas_/);
    await visitor.open('/a/payments/requests');
    await page.getByRole('link', { name: 'Waits meanwhile' }).click();
    await close(page);
    await arriveAt(page, 'Case requests');
  });

  it('omits the requests that another person must decide', async () => {
    const { foundation } = story.app.application;
    const requireSecondPerson = (isRequired: boolean) =>
      foundation.database.transaction((transaction) =>
        transaction.rows(sql`update organizations set require_second_person = ${isRequired}`),
      );
    await requireSecondPerson(true);
    const id = await desk.ask('Asked by an auditor');
    const own = await createCaseRequest(foundation, desk.everything.principal, {
      ...{ foreignId: 'payments', reason: 'Asked by who decides', accessDays: 3 },
      ...{ periodFrom: '2026-01-05', periodTo: '2026-01-09' },
      disclosureFlags: { fullTxIds: false, senderInformation: false, withdrawalDetails: false },
      auditorIds: [desk.auditor.principal.userId],
    });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, `/a/payments/requests/${id}`);
    await close(page);
    await arriveAt(page, 'Case requests');
    await page.getByRole('link', { name: 'Asked by who decides' }).waitFor();
    await requireSecondPerson(false);
    await visitor.open(`/a/payments/requests/${own.id}`);
    await close(page);
    await arriveAt(page, 'Case requests');
  });

  it('leads to the next request of a queue of several pages, including requests filed at the same time', async () => {
    for (let count = 1; count <= 50; count += 1) await desk.ask(`Of many ${count}`);
    const decided = await desk.ask('On the second page');
    await desk.ask('After it');
    await story.app.application.foundation.database.transaction((transaction) =>
      transaction.rows(sql`update case_requests set created_at = '2026-01-05' where status = 'pending'`),
    );
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, `/a/payments/requests/${decided}`);
    await close(page);
    await arriveAt(page, 'After it');
    await close(page);
    await page.getByText('Of many 1').first().waitFor();
    await arriveAt(page, 'Of many 1');
  });
});
