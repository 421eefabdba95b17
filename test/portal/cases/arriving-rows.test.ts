import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createCaseRequest } from '../../../src/domain/cases/index.js';
import { loaded, portalStories, problemsInEveryLook } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

/** As when another app comes to the front. */
const hide = (page: Page) =>
  page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);

portalStories('new rows of a live list', (story) => {
  let desk: Desk;
  let first: string;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    first = await desk.ask('Before anyone looks');
    await story.logged();
  });

  /** A case that ends before the others, so that it comes first when sorted by the remaining time. */
  const openShortCase = async (reason: string) => {
    const { auditor } = desk;
    const today = new Date().toISOString().slice(0, 10);
    const { id } = await createCaseRequest(story.app.application.foundation, auditor.principal, {
      ...{ foreignId: 'payments', reason, periodFrom: today, periodTo: today, accessDays: 1 },
      disclosureFlags: { fullTxIds: false, senderInformation: false, withdrawalDetails: false },
      auditorIds: [auditor.principal.userId],
    });
    await desk.approve(id);
  };

  it('keep the focus on the last row when it leaves, and say afterwards that the list is empty', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, '/a/payments/requests');
    const link = page.getByRole('link', { name: 'Before anyone looks' });
    await link.focus();
    await desk.approve(first);
    await page.getByText('No longer in this list', { exact: true }).waitFor();
    expect(await link.and(page.locator(':focus')).count()).toBe(1);
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    await page.getByRole('navigation').getByRole('link', { name: 'Cases' }).focus();
    await page.getByText('No request is pending.').waitFor();
    expect(await link.count()).toBe(0);
  });

  it('wait above it while the pointer points to one of its rows, which do not move', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/account');
    // The sign-in also adds an entry, and must not be the new one.
    await story.logged();
    await visitor.open('/organization/log');
    const rows = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Entry' });
    const mark = page.getByRole('button', { name: /^Entry \d+: Checked here$/ }).first();
    await mark.waitFor();
    // Nothing above the rows changes after this.
    await page.getByRole('button', { name: 'Activity log: Checked here' }).waitFor();
    await mark.hover();
    const before = [
      await rows.count(),
      await mark.getAttribute('aria-label'),
      await mark.boundingBox(),
    ] as const;
    await desk.ask('While somebody looks');
    await page.getByText('1 new row', { exact: true }).waitFor();
    expect([await rows.count(), await mark.getAttribute('aria-label'), await mark.boundingBox()]).toEqual(
      before,
    );
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Show new rows' }).click();
    await page.getByText('1 new row', { exact: true }).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(before[0] + 1);
  });

  it('wait in an administrator’s cases, and in an auditor’s, which are sorted by time left', async () => {
    await desk.openCase('Open before anyone looks');
    for (const who of [desk.administrator, desk.auditor]) {
      const visitor = await story.visit();
      const { page } = visitor;
      await visitor.enter(who, '/a/payments/cases');
      const link = page.getByRole('link', { name: 'Open before anyone looks' });
      const timeLeft = (text: string) =>
        page.getByRole('listitem').filter({ hasText: text }).locator('.item-end').innerText();
      expect(await timeLeft('Open before anyone looks')).toMatch(/^\d.* left\s.* UTC$/);
      await link.hover();
      const before = await link.boundingBox();
      const name = `While ${who.principal.userId} looks`;
      await openShortCase(name);
      await page.getByText('1 new row', { exact: true }).waitFor();
      expect(await page.getByRole('link', { name }).count()).toBe(0);
      expect(await link.boundingBox()).toEqual(before);
      expect(await visitor.accessibilityProblems()).toEqual([]);
      await page.getByRole('button', { name: 'Show new rows' }).click();
      await page.getByRole('link', { name }).waitFor();
      const links = await page.getByRole('main').getByRole('link').allTextContents();
      expect([who.email, links.indexOf(name) < links.indexOf('Open before anyone looks')]).toEqual([
        who.email,
        true,
      ]);
      // “To do” says, too, until when it is open.
      await visitor.open('/');
      expect(await timeLeft(name)).toMatch(/^\d.* left\s.* UTC$/);
    }
  });

  it('wait in decided requests, which do not move while being read', async () => {
    const [older, newer] = [await desk.ask('Older and pending'), await desk.ask('Newer and decided')];
    await desk.approve(newer);
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, '/a/payments/requests?view=decided');
    const links = page.getByRole('list', { name: 'Case requests' }).getByRole('link');
    await page.getByRole('link', { name: 'Newer and decided' }).waitFor();
    await links.last().hover();
    const before = await links.allTextContents();
    await desk.approve(older);
    await page.getByText('1 new row', { exact: true }).waitFor();
    expect(await links.allTextContents()).toEqual(before);
    await page.getByRole('button', { name: 'Show new rows' }).click();
    await page.getByRole('link', { name: 'Older and pending' }).waitFor();
  });

  it('stay marked in their place when they leave, until the pointer does, in the queue and in “To do”', async () => {
    for (const place of ['/a/payments/requests', '/']) {
      const ids = [await desk.ask('Decided while it is read'), await desk.ask('Below it')];
      const visitor = await story.visit({ locale: place === '/' ? 'fr-FR' : 'en-GB' });
      const { page } = visitor;
      await visitor.enter(desk.administrator, place);
      await loaded(page);
      const [above, below] = ['Decided while it is read', 'Below it'].map((name) =>
        page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) }),
      );
      await below!.hover();
      const before = await Promise.all([above!.boundingBox(), below!.boundingBox()]);
      await desk.approve(ids[0]!);
      const left = above!.getByText(place === '/' ? 'N’est plus dans cette liste' : 'No longer in this list');
      await left.waitFor();
      expect(await Promise.all([above!.boundingBox(), below!.boundingBox()])).toEqual(before);
      expect(await problemsInEveryLook(visitor)).toEqual([]);
      await page.getByRole('heading', { level: 1 }).hover();
      await above!.waitFor({ state: 'detached' });
      await desk.approve(ids[1]!);
      await below!.waitFor({ state: 'detached' });
    }
  });

  it('appear immediately if no one is reading the list', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/account');
    // The sign-in also adds an entry, and must not be the new one.
    await story.logged();
    await visitor.open('/organization/log');
    await page.getByRole('heading', { level: 1 }).hover();
    const marks = page.getByRole('button', { name: /^Entry \d+: / });
    await marks.first().waitFor();
    const count = await marks.count();
    await desk.ask('While nobody looks');
    await marks.nth(count).waitFor();
    expect(await page.getByRole('button', { name: 'Show new rows' }).count()).toBe(0);
  });

  it.each([
    ['a finger taps elsewhere', (page: Page) => page.getByRole('heading', { level: 1 }).tap()],
    ['20 seconds pass without a touch', (page: Page) => page.clock.runFor(20_000)],
    ['the page is hidden', hide],
  ])('stay marked on a tablet when they leave after a tap, until %s', async (end, finish) => {
    const ids = [await desk.ask(`Decided before ${end}`), await desk.ask(`Tapped before ${end}`)];
    const visitor = await story.visit({ hasTouch: true });
    const { page } = visitor;
    await page.clock.install();
    await visitor.enter(desk.administrator, '/a/payments/requests');
    await loaded(page);
    const rows = page.getByRole('list', { name: 'Case requests' }).getByRole('listitem');
    const tapped = rows.filter({ has: page.getByRole('link', { name: `Tapped before ${end}` }) });
    const above = rows.filter({ has: page.getByRole('link', { name: `Decided before ${end}` }) });
    const name = 'No longer in this list';
    await tapped.tap({ position: { x: 2, y: 2 } });
    await desk.approve(ids[0]!);
    await above.getByText(name).waitFor();
    await page.clock.runFor(15_000);
    await tapped.tap({ position: { x: 2, y: 2 } });
    await page.clock.runFor(15_000);
    expect(await above.getByText(name).count()).toBe(1);
    await finish(page);
    await above.waitFor({ state: 'detached' });
    await desk.approve(ids[1]!);
  });

  it('stay marked in a list that is scrolled without pointing to it, for 20 seconds after the last scrolling', async () => {
    const ids: string[] = [];
    for (let count = 1; count <= 12; count += 1) ids.push(await desk.ask(`Scrolled ${count}`));
    const visitor = await story.visit({ viewport: { width: 800, height: 400 } });
    const { page } = visitor;
    await page.clock.install();
    await visitor.enter(desk.administrator, '/a/payments/requests');
    await loaded(page);
    const last = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Scrolled 12' }) });
    await last.waitFor();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await desk.approve(ids.pop()!);
    await last.getByText('No longer in this list').waitFor();
    await page.clock.runFor(15_000);
    await page.evaluate('scrollBy(0, -20)');
    await page.clock.runFor(15_000);
    expect(await last.count()).toBe(1);
    await page.clock.runFor(5_000);
    await last.waitFor({ state: 'detached' });
    for (const id of ids) await desk.approve(id);
  });
});
