import { beforeAll, expect, it } from '@jest/globals';
import { generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { auditorCiphertexts, seedRecords } from '../../kit/ledger/confidential-records.js';
import { portalStories, until } from '../../kit/browser/portal.js';
import { SEED_PASSWORD, seedMember } from '../../kit/seed.js';
import { openDesk, tabTo, type Desk } from '../kit.js';

portalStories('the work of an auditor', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  it('can be done with the keyboard only: sign in, read a case, ask for a wider one, and withdraw the request', async () => {
    await desk.openCase('Read by keyboard', {
      fullTxIds: true,
      senderInformation: false,
      withdrawalDetails: true,
    });
    const visitor = await story.visit();
    const { page } = visitor;
    const { keyboard } = page;
    await visitor.open('/sign-in');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await tabTo(page, /E-mail address/);
    await keyboard.type(desk.auditor.email);
    await tabTo(page, /^Password/);
    await keyboard.type(SEED_PASSWORD);
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
    await tabTo(page, /^Cases$/, 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
    await page.getByRole('link', { name: 'Read by keyboard' }).waitFor();
    await tabTo(page, /Read by keyboard/);
    await keyboard.press('Enter');
    await page.getByText('3, all of them').waitFor();

    // The grid is one tab stop, and arrow keys move between its cells.
    await page
      .getByRole('button', { name: /^Amount: Checked here$/ })
      .first()
      .waitFor();
    await tabTo(page, /^rowheader/);
    await keyboard.press('ArrowDown');
    for (let presses = 0; presses < 3; presses += 1) await keyboard.press('ArrowRight');
    await keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('heading', { name: 'What was checked' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByText('Hidden in this case').waitFor();
    await tabTo(page, /^Why/, 'Shift+Tab');
    await keyboard.press('Enter');
    await page
      .getByRole('dialog')
      .getByText(/^Ada Administrator approved the scope on .*, for Ana Auditor\.$/)
      .waitFor();
    await tabTo(page, /Request a wider scope/);
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Request a case' }).waitFor();
    expect(await page.getByLabel('Sender information').isChecked()).toBe(true);
    await page.getByText('Filled in from the case that you came from').waitFor();
    await tabTo(page, /Why do you need it/);
    await keyboard.type('The senders matter');
    await tabTo(page, /^File the request$/);
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'The senders matter' }).waitFor();

    await tabTo(page, /^Withdraw…$/);
    await keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await dialog.waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await until(page, 'document.activeElement.textContent === "Cancel"');
    await tabTo(page, /^Withdraw the request$/);
    await keyboard.press('Enter');
    await page.getByText('Withdrawn').first().waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Withdraw…' }).count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('proposes the days up to today, and previews the scope with two example transactions', async () => {
    const visitor = await story.visit({ viewport: { width: 1200, height: 900 } });
    const { page } = visitor;
    await visitor.enter(desk.auditor, '/a/payments/requests/new');
    const today = new Date().toISOString().slice(0, 10);
    expect(await page.getByLabel('Last day (UTC)').inputValue()).toBe(today);
    for (const width of [1200, 320]) {
      await page.setViewportSize({ width, height: 900 });
      const hidden = `(() => { const { scrollWidth, clientWidth } = document.querySelector('.example .table-scroll');
        return scrollWidth - clientWidth; })()`;
      expect([width, await page.evaluate(hidden)]).toEqual([width, 0]);
    }
    const example = page.getByRole('table', { name: 'How two transactions will look' });
    await example.getByRole('row', { name: 'From hidden hidden' }).waitFor();
    await page.getByLabel('Sender information').check();
    await example.getByRole('row', { name: 'From 7xKX…gAsU C2rP…4fWm' }).waitFor();
    // More or fewer days than a date can have: the form refuses them, and the page stays.
    for (const days of ['99999999999', '-99999999999'])
      await page.getByLabel('Days of access after the approval').fill(days);
    await example.waitFor();
  });

  it('leads from an empty list of cases, and from “To do”, to a new request', async () => {
    const member = await seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      { applications: [{ foreignId: 'payments', auditor: ['cases:create', 'reports:view_transactions'] }] },
      'Nina New',
    );
    const visitor = await story.visit();
    const { page } = visitor;
    for (const place of ['/', '/a/payments/cases']) {
      await visitor.enter(member, place);
      await page.getByRole('main').getByRole('link', { name: 'Request a case' }).click();
      await page.getByRole('heading', { level: 1, name: 'Request a case' }).waitFor();
    }
  });

  it('can copy the whole signature and account of a transaction, to find it on the ledger', async () => {
    const id = await desk.openCase('What is on the ledger');
    const visitor = await story.visit();
    const { page, context } = visitor;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('3, all of them').waitFor();
    const signature = page.getByRole('button', { name: /^Signature: / }).first();
    const whole = (await signature.locator('.visually-hidden').textContent())!.slice('Signature: '.length);
    await signature.click();
    const dialog = page.getByRole('dialog', { name: 'Signature' });
    await dialog.getByText(whole).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(whole);
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.firstElementChild.textContent')).toBe(
      `Signature: ${whole}`,
    );
  });

  it('shows times in UTC with the local time in the tooltip, or the local time if that is set', async () => {
    const request = await desk.ask('Read in Tokyo');
    const id = await desk.approve(request);
    const visitor = await story.visit({ timezoneId: 'Asia/Tokyo' });
    const { page } = visitor;
    const time = page.getByRole('grid').locator('time').first();
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    expect(await time.textContent()).toMatch(/ UTC$/);
    const local = await time.getAttribute('title');
    expect(local).toMatch(/ GMT\+9$/);
    await visitor.open('/account');
    await page.getByLabel('Show times where I am').check();
    await visitor.open(`/a/payments/cases/${id}`);
    expect(await time.textContent()).toBe(local);
    await visitor.open(`/a/payments/requests/${request}`);
    await page.getByText(/^Decided by Ada Administrator on .* GMT\+9\./).waitFor();
    for (const place of ['/a/payments/requests?view=decided', '/a/payments/cases', '/a/payments/log']) {
      await visitor.open(place);
      const rows = page.getByRole('main').getByRole('listitem');
      await rows.locator('time').first().waitFor();
      // The time left is no time of day.
      const times = await rows.locator('time:not(.badge)').allTextContents();
      expect([place, times.filter((shown) => !shown.endsWith(' GMT+9'))]).toEqual([place, []]);
      const texts = await rows.allTextContents();
      expect([place, texts.filter((shown) => /:\d\d UTC/.test(shown))]).toEqual([place, []]);
    }
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('keeps the filters of a case: after Back, a reload, and by a link', async () => {
    const id = await desk.openCase('Only the withdrawals');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('3, all of them').waitFor();
    await page.getByLabel('Type').selectOption({ label: 'Withdrawal' });
    await page.getByText('1, all of them').waitFor();
    const day = (await page.getByLabel('To day').getAttribute('max'))!;
    await page.getByLabel('From day').fill(day);
    await page.waitForURL(`**/cases/${id}?type=confidential_withdraw&from=${day}`);
    const asTheyWere = async () => {
      await page.getByText('1, all of them').waitFor();
      expect(await page.getByLabel('Type').inputValue()).toBe('confidential_withdraw');
      expect(await page.getByLabel('From day').inputValue()).toBe(day);
    };
    await page.reload();
    await asTheyWere();
    await page
      .getByRole('navigation', { name: 'Parts of the case' })
      .getByRole('link', { name: 'Activity' })
      .click();
    await page.getByRole('link', { name: 'Transactions', exact: true }).click();
    await asTheyWere();
    const sent = page.url();
    await page.getByRole('link', { name: 'Open the request' }).click();
    await page.getByRole('heading', { level: 1, name: 'Only the withdrawals' }).waitFor();
    await page.waitForURL('**/requests/**');
    await page.goBack();
    await asTheyWere();
    const other = await story.visit();
    await other.enter(desk.auditor, new URL(sent).pathname.slice('/portal'.length) + new URL(sent).search);
    await other.page.getByText('1, all of them').waitFor();
    await other.page.getByRole('button', { name: 'All days' }).click();
    await other.page.getByLabel('Type').selectOption({ label: 'All types' });
    await other.page.getByText('3, all of them').waitFor();
    expect(new URL(other.page.url()).search).toBe('?tab=transactions');
  });

  it('shows that amounts are hidden or cannot be opened, and why, not that their sum is zero', async () => {
    // Encrypted to a key that the organization does not have.
    const { publicKey } = generateElGamalKeypair();
    await seedRecords(story.app.application.foundation, desk.asset, [
      {
        blockTime: Math.floor(Date.now() / 1_000) - 86_400,
        ciphertexts: auditorCiphertexts(publicKey, 5n),
      },
    ]);
    const flags = { fullTxIds: false, senderInformation: false, withdrawalDetails: false };
    const id = await desk.openCase('Amounts of transfers', flags);
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByRole('gridcell').getByText('No key opens it').waitFor();
    await page.getByRole('button', { name: 'Amount is hidden. Why?' }).click();
    const why = page.getByRole('dialog', { name: 'Amount is hidden' });
    await why
      .getByText('This case does not grant withdrawal details. The gateway left the value out')
      .waitFor();
    await why.getByRole('link', { name: 'Request a wider scope' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Totals', exact: true }).click();
    const totals = page.getByRole('table', { name: 'Totals of the case: Private Dollar (PUSD)' });
    await totals.getByRole('row', { name: 'Withdrawal 1 none is shown 1 0' }).waitFor();
    await totals.getByRole('row', { name: 'Transfer 3 0.071250 PUSD 0 1' }).waitFor();
  });
});
