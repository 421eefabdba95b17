import { beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { approveCaseRequest, closeCaseRequest, createCaseRequest } from '../../../src/domain/cases/index.js';
import { transactionsTopic } from '../../../src/domain/transactions/index.js';
import { randomAddress, seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { portalStories, until, type Visitor } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('deciding on a case in the portal', (story) => {
  let desk: Desk;
  let abel: SeededUser;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    abel = await seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      { applications: [{ foreignId: 'payments', auditor: PERMISSIONS.auditor, common: PERMISSIONS.common }] },
      'Abel Auditor',
    );
  });

  it('shows what a request covers, approves less than was requested, and shows both to the requester', async () => {
    const id = await desk.ask('Asks for much');
    const [decides, asks] = [await story.visit(), await story.visit()];
    await decides.enter(desk.administrator, `/a/payments/requests/${id}`);
    const { page } = decides;
    await page.getByText(/^3 transactions, (on|between) /).waitFor();
    await page.getByRole('button', { name: 'Approve…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('3 transactions as of now', { exact: true }).waitFor();
    // The ledger shows what a case hides.
    const ledger = dialog.getByText('The ledger is public: a destination and a day can be enough to find');
    expect(await ledger.count()).toBe(0);
    await dialog.getByLabel('Grant less than was requested').check();
    // For a part of the days, only a bound is known.
    const lastDay = await dialog.getByLabel('Last day').inputValue();
    await dialog.getByLabel('Last day').fill(await dialog.getByLabel('First day').inputValue());
    await dialog.getByText('at most 3 transactions as of now').waitFor();
    await dialog.getByLabel('Last day').fill(lastDay);
    await dialog.getByLabel('sender information').uncheck();
    await ledger.waitFor();
    // More or fewer days than a date can have: the form refuses them, and the page stays.
    for (const days of ['99999999999', '-99999999999']) await dialog.getByLabel('Days of access').fill(days);
    await dialog.getByLabel('Days of access').fill('5');
    await dialog.getByText('(5 × 24 hours from now)').waitFor();
    await dialog.getByText('sender information', { exact: true }).first().waitFor();
    expect(await decides.accessibilityProblems()).toEqual([]);
    // A case without auditors or without records is invalid.
    await dialog.getByLabel('Ana Auditor').uncheck();
    await dialog.getByText('Keep at least one auditor.').waitFor();
    await dialog.getByLabel('Ana Auditor').check();
    await dialog.getByLabel('Stay here').check();
    await dialog.getByRole('button', { name: 'Open the case for 1 auditor' }).click();
    await page.getByRole('link', { name: 'Open the case' }).click();
    await page.waitForURL(/\/cases\/cas_/);
    await page.getByText('with full transaction ids and withdrawal details').waitFor();

    await asks.enter(desk.auditor, `/a/payments/requests/${id}`);
    const granted = asks.page
      .getByRole('region')
      .or(asks.page.locator('section'))
      .filter({
        has: asks.page.getByRole('heading', { name: 'What was granted' }),
      });
    await granted.getByText('less: sender information').waitFor();
    await granted.getByText('less: 25 days of access').waitFor();
    await asks.page.getByText('amounts and days, with full transaction ids, sender information').waitFor();
    expect(await asks.accessibilityProblems()).toEqual([]);
  });

  it('compares a request with the last decided one, and with every case of its auditors, even with equal names', async () => {
    const { foundation } = story.app.application;
    const first = await seedMember(
      foundation,
      story.app.organization.organization.id,
      { applications: [{ foreignId: 'payments', auditor: PERMISSIONS.auditor, common: PERMISSIONS.common }] },
      'Cleo Auditor',
    );
    const ask = (reason: string, accessDays: number) =>
      createCaseRequest(foundation, first.principal, {
        ...{ foreignId: 'payments', reason, accessDays, periodFrom: '2026-01-05', periodTo: '2026-01-09' },
        disclosureFlags: { fullTxIds: false, senderInformation: false, withdrawalDetails: false },
        auditorIds: [first.principal.userId],
      });
    const decided = { foreignId: 'payments' };
    // Two cases with one name: the first for all days, the second for fewer.
    await approveCaseRequest(foundation, desk.administrator.principal, {
      ...decided,
      id: (await ask('Quarterly review', 2)).id,
    });
    await approveCaseRequest(foundation, desk.administrator.principal, {
      ...decided,
      id: (await ask('Quarterly review', 5)).id,
    });
    const asked = await ask('Quarterly review', 5);
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, `/a/payments/requests/${asked.id}`);
    const different = page.locator('section', {
      has: page.getByRole('heading', { name: 'What is different' }),
    });
    const against = (title: string) =>
      different.locator('div', { has: page.getByRole('heading', { level: 3, name: title }) });
    await against('Against the request “Quarterly review”, which was approved')
      .getByText('It requests the same scope again.')
      .waitFor();
    await against('Against the open case “Quarterly review”').getByText('more: 3 days of access').waitFor();
    expect(await different.getByRole('heading', { level: 3 }).count()).toBe(2);
    expect(await visitor.accessibilityProblems()).toEqual([]);

    // The comparison includes earlier refusals, and states what is left out.
    await closeCaseRequest(foundation, desk.administrator.principal, {
      ...{ ...decided, id: asked.id, reason: 'Too long' },
    });
    for (const accessDays of [6, 7])
      await approveCaseRequest(foundation, desk.administrator.principal, {
        ...decided,
        id: (await ask(`Of ${accessDays} days`, accessDays)).id,
      });
    const refused = await ask('Asked again', 9);
    await closeCaseRequest(foundation, desk.administrator.principal, {
      ...{ ...decided, id: refused.id, reason: 'Too long' },
    });
    const last = await ask('Last', 1);
    await visitor.open(`/a/payments/requests/${last.id}`);
    await against('Against the request “Asked again”, which was closed')
      .getByText('less: 8 days of access')
      .waitFor();
    await different.getByText('The auditors hold 2 more open cases, not compared here.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('requests a wider scope with the days, assets and auditors of the case filled in', async () => {
    const { foundation } = story.app.application;
    const { organization, application } = story.app.organization;
    const other = await seedAsset(foundation, organization.id, { applicationId: application.id });
    const { id } = await createCaseRequest(foundation, desk.auditor.principal, {
      ...{ foreignId: 'payments', reason: 'One asset, two auditors', accessDays: 3 },
      ...{ periodFrom: '2026-01-05', periodTo: '2026-01-09' },
      disclosureFlags: { fullTxIds: false, senderInformation: false, withdrawalDetails: false },
      auditorIds: [desk.auditor.principal.userId, abel.principal.userId],
      assetIds: [desk.asset.id],
    });
    const opened = await approveCaseRequest(foundation, desk.administrator.principal, {
      ...{ foreignId: 'payments', id },
    });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${opened.id}`);
    await page.getByRole('link', { name: 'Request a wider scope' }).click();
    await page.getByRole('heading', { level: 1, name: 'Request a case' }).waitFor();
    expect(await page.getByLabel('First day (UTC)').inputValue()).toBe('2026-01-05');
    const chosen = async (name: string) => {
      const boxes = await page.locator(`input[name="${name}"]:checked`).all();
      return new Set(await Promise.all(boxes.map((box) => box.getAttribute('value'))));
    };
    expect(await chosen('assetIds')).toEqual(new Set([desk.asset.id]));
    expect(await chosen('auditorIds')).toEqual(
      new Set([desk.auditor.principal.userId, abel.principal.userId]),
    );
    expect(await page.locator(`input[value="${other.id}"]`).count()).toBe(1);
  });

  /** An auditor reads the case: its amounts are on screen. */
  const reads = async (id: string) => {
    const visitor = await story.visit();
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await visitor.page.getByText('0.001250 PUSD').first().waitFor();
    return visitor;
  };
  const hasNothingLeft = async (visitor: Visitor) => {
    const { page } = visitor;
    await page.getByRole('heading', { name: 'Access has ended' }).waitFor();
    await page.getByText('it has ended, or you are no longer one of its auditors').waitFor();
    expect(await page.getByText('PUSD').count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  };

  it('adds an auditor and removes one, who then has no access, also if the case is on screen', async () => {
    const id = await desk.openCase('Changes hands');
    const removed = await reads(id);
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, `/a/payments/cases/${id}`);
    expect(await page.getByRole('button', { name: 'Remove an auditor…' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Add an auditor…' }).click();
    await page.getByLabel('Reason').fill('Ana is on leave');
    // Nobody receives the right to read by default.
    expect(await page.getByLabel('Auditor', { exact: true }).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Add the auditor' }).click();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.getByLabel('Auditor', { exact: true }).selectOption({ label: 'Abel Auditor' });
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Add the auditor' }).click();
    await page.getByText('Abel Auditor').first().waitFor();
    await page.getByRole('button', { name: 'Remove an auditor…' }).click();
    await page.getByLabel('Auditor', { exact: true }).selectOption({ label: 'Ana Auditor' });
    await page.getByLabel('Reason').fill('Ana is on leave');
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Remove the auditor', exact: true }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    // Who decides on the case does not read it.
    await page.getByRole('link', { name: 'Transactions', exact: true }).click();
    await page.getByRole('heading', { name: 'Transactions are for the assigned auditors' }).waitFor();
    expect(await page.getByRole('grid').count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);

    await hasNothingLeft(removed);
    const added = await story.visit();
    await removed.page.reload();
    await removed.page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    await added.enter(abel, `/a/payments/cases/${id}`);
    await added.page.getByText('3, all of them').waitFor();
  });

  it('ends a case with a reason, which everyone who oversees it can see, and removes it from its readers', async () => {
    const id = await desk.openCase('Ends today');
    const reader = await reads(id);
    const [first, second] = [await story.visit(), await story.visit()];
    await first.enter(desk.administrator, `/a/payments/cases/${id}`);
    await second.enter(desk.everything, `/a/payments/cases/${id}`);
    await second.page.getByRole('button', { name: 'End the case…' }).waitFor();
    await first.page.getByRole('button', { name: 'End the case…' }).click();
    const dialog = first.page.getByRole('alertdialog');
    await dialog.getByText('From this instant on Ana Auditor can read no transaction of it.').waitFor();
    expect(await first.accessibilityProblems()).toEqual([]);
    await dialog.getByLabel('Reason').fill('The audit has ended');
    await dialog.getByRole('button', { name: 'End the case' }).click();
    for (const { page } of [first, second]) {
      await page.getByText('Ada Administrator ended this case early').waitFor();
      await page.getByText('Reason given: The audit has ended').waitFor();
      expect(await page.getByRole('button', { name: 'End the case…' }).count()).toBe(0);
    }
    expect(await first.accessibilityProblems()).toEqual([]);
    await hasNothingLeft(reader);
    // Of the ended case, the auditor’s own request is left.
    await reader.open('/a/payments/cases');
    const ended = reader.page
      .getByRole('list', { name: 'Ended cases of your requests' })
      .getByRole('listitem')
      .filter({ hasText: 'Ends today' });
    await ended.getByText('Ended', { exact: true }).waitFor();
    expect(await ended.getByRole('link').count()).toBe(0);
    expect(await reader.accessibilityProblems()).toEqual([]);
  });

  it('shows the amounts of a case by day, and the exact sums as a table', async () => {
    const id = await desk.openCase('Read by day');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('3, all of them').waitFor();
    await page.getByRole('button', { name: 'Charts by day' }).click();
    const amounts = page.getByRole('figure', { name: 'Transfer: amounts by day' });
    await amounts.getByText('As a table').click();
    await amounts.getByRole('cell', { name: '0.071250 PUSD' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    // A withdrawal is another type: it is not added to the transfers.
    const series = page.getByLabel('Amounts of');
    const [withdrawal] = await series.locator('option', { hasText: 'Withdrawal' }).allTextContents();
    await series.selectOption({ label: withdrawal! });
    await page.getByRole('figure', { name: 'Withdrawal: amounts by day' }).waitFor();
  });

  it('filters the transactions of a case by type and day, and shows how many there are', async () => {
    const id = await desk.openCase('Read in part');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('3, all of them').waitFor();
    await page.getByLabel('Type').selectOption({ label: 'Withdrawal' });
    await page.getByText('1, all of them').waitFor();
    await page.getByLabel('Type').selectOption({ label: 'All types' });
    const before = new Date(Date.now() - 24 * 60 * 60 * 1_000 * 3).toISOString().slice(0, 10);
    await page.getByLabel('To day').fill(before);
    await page.getByText('No transaction in the period of this case matches the filters.').waitFor();
    await page.getByRole('button', { name: 'All days' }).click();
    await page.getByText('3, all of them').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('explains that amounts cannot be verified if the case shows no full ids', async () => {
    const id = await desk.openCase('Read without ids', {
      fullTxIds: false,
      senderInformation: false,
      withdrawalDetails: true,
    });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('Amounts cannot be checked in this case').waitFor();
    await page.getByText('3, all of them').waitFor();
    expect(await page.getByRole('button', { name: /^Amount: / }).count()).toBe(0);
    await page.getByRole('button', { name: 'Why?', exact: true }).click();
    const why = page.getByRole('dialog', { name: /Signature are hidden$/ });
    await why.getByText(/: this case does not grant sender information\.$/).waitFor();
    await why.getByText('Signature: this case does not grant full transaction ids.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('announces new transactions, and loads them on request', async () => {
    const id = await desk.openCase('Read while it grows');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('3, all of them').waitFor();
    const { foundation } = story.app.application;
    // Until the page follows the case, added records belong to its initial state.
    const added = page.getByText(/^\d+ new transactions?/);
    for (let minutes = 1; (await added.count()) === 0; minutes += 1) {
      await seedRecords(foundation, desk.asset, [
        {
          type: 'confidential_deposit',
          blockTime: Math.floor(Date.now() / 1_000) - 2 * 86_400 + minutes * 60,
          publicData: { amount: '100', authority: randomAddress() },
        },
      ]);
      foundation.signals.publish(transactionsTopic(desk.asset.id));
      await page.waitForTimeout(200);
    }
    await page.getByText('3, all of them').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Show them' }).click();
    await page.getByText('3, all of them').waitFor({ state: 'detached' });
    await added.waitFor({ state: 'detached' });
  });

  it('renders only some of many rows, in the chosen density, and reaches the last one by keyboard', async () => {
    const { foundation } = story.app.application;
    await seedRecords(
      foundation,
      desk.asset,
      Array.from({ length: 420 }, (_, index) => ({
        type: 'confidential_deposit',
        blockTime: Math.floor(Date.now() / 1_000) - 3 * 86_400 + index,
        publicData: { amount: String(index + 1), authority: randomAddress() },
      })),
    );
    const id = await desk.openCase('Read to its end');
    const visitor = await story.visit({ viewport: { width: 1200, height: 2_400 } });
    const { page } = visitor;
    await visitor.enter(desk.auditor, '/account');
    const compact = page.getByLabel('Compact rows');
    for (const [isCompact, height] of [
      [false, 40],
      [true, 32],
    ] as const) {
      await visitor.open('/account');
      await compact.setChecked(isCompact);
      await visitor.open(`/a/payments/cases/${id}`);
      await page.getByText(/of \d+ loaded, more below/).waitFor();
      const drawn = `document.querySelectorAll('[role=grid] [role=row]').length`;
      await page.evaluate(`new MutationObserver(() => { globalThis.most = Math.max(globalThis.most ?? 0, ${drawn}); })
        .observe(document.body, { childList: true, subtree: true })`);
      const row = page.getByRole('grid').getByRole('row').nth(3);
      expect((await row.boundingBox())?.height).toBe(height);
      for (let top = 0; top < 20_000; top += 900) {
        await page.evaluate(`document.querySelector('[role=grid]').scrollTop = ${top}`);
        await page.evaluate(
          'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
        );
      }
      await page.getByText(/^\d+, all of them$/).waitFor();
      const all = Number.parseInt(await page.getByText(/^\d+, all of them$/).innerText());
      expect(all).toBeGreaterThan(420);
      await page.evaluate(`document.querySelector('[role=grid] [tabindex="0"]').focus()`);
      await page.keyboard.press('Control+End');
      await until(page, `document.activeElement.closest('[role=row]')?.ariaRowIndex === '${all + 1}'`);
      expect(Number(await page.evaluate(drawn))).toBeGreaterThan(20);
      expect(Number(await page.evaluate('most'))).toBeLessThanOrEqual(40);
    }
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('marks the edges that hide a part of its transactions', async () => {
    const id = await desk.openCase('Wide');
    const visitor = await story.visit({ viewport: { width: 700, height: 800 } });
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    const grid = page.getByRole('grid');
    await grid.and(page.locator('[data-more-end]:not([data-more-start])')).waitFor();
    await page.keyboard.press('Tab');
    await grid.getByRole('rowheader').first().focus();
    await page.keyboard.press('End');
    await grid.and(page.locator('[data-more-start]:not([data-more-end])')).waitFor();
    // What the case hides leaves room for the rest.
    const none = { fullTxIds: false, senderInformation: false, withdrawalDetails: false };
    await page.setViewportSize({ width: 1400, height: 800 });
    await visitor.open(`/a/payments/cases/${await desk.openCase('Narrow', none)}`);
    await grid.and(page.locator(':not([data-more-start], [data-more-end])')).waitFor();
  });
});
