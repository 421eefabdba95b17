import { beforeAll, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { auditorCiphertexts, seedRecords } from '../../kit/ledger/confidential-records.js';
import {
  LOOKS,
  loaded,
  portalStories,
  problemsInEveryLook,
  settled,
  until,
  type Visitor,
} from '../../kit/browser/portal.js';
import { everyPlace } from './every-place.js';
import { openDesk, type Desk } from '../kit.js';

const daysAgo = (days: number) => Math.floor(Date.now() / 1_000) - days * 86_400;

/** The directory for pictures of the places, which `npm run screenshots` sets. */
const PICTURES = process.env['SCREENSHOTS'];

async function picture({ page }: Visitor, place: string, look: string): Promise<void> {
  if (PICTURES === undefined) return;
  const name = place
    .replace(/[#?].*$/, '')
    .replace(/[a-z]{3}_[0-9a-z]+/, 'one')
    .replace(/^\/|\/$/g, '')
    .replaceAll('/', '-');
  const tab = /[?&](?:tab|view)=(\w+)/.exec(place)?.[1];
  await page.screenshot({
    path: path.join(PICTURES, `${[name || 'to-do', tab, look].filter(Boolean).join('.')}.png`),
    fullPage: true,
  });
}

/** The pictures of the README and of docs/portal.md: the visible part. */
async function shown({ page }: Visitor, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  await page.screenshot({ path: path.join(import.meta.dirname, '../../../docs/pictures', `${name}.png`) });
}

/** The text spacing that a reader may set (WCAG 1.4.12), as a user style sheet. */
const SPACED = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } '
    + 'p { margin-block-end: 2em !important }');
  document.adoptedStyleSheets.push(sheet);
})()`;
/** Buttons, links, marks and headings that are partly cut off. */
const CUT = `[...document.querySelectorAll('button, .button, a, .badge, h1, h2, h3, label')]
  .filter((one) => !one.closest('.visually-hidden, .skip') && getComputedStyle(one).overflow !== 'visible'
    && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1))
  .map((one) => one.outerHTML.slice(0, 120))`;

/** Days below a picture that overlap the previous one. */
const OVERLAPPING = `[...document.querySelectorAll('.plot .days')].flatMap((days) =>
  [...days.querySelectorAll('text')].filter((one) => one.getBoundingClientRect().width > 0)
    .filter((one, index, all) => index > 0
      && one.getBoundingClientRect().left < all[index - 1].getBoundingClientRect().right)
    .map((one) => one.textContent))`;

portalStories('every page of the portal', (story) => {
  let desk: Desk;
  let places: readonly string[];
  beforeAll(async () => {
    desk = await openDesk(story.app);
    places = await everyPlace(story.app, desk);
  });

  const isWiderThanScreen = (visitor: Visitor) =>
    visitor.page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

  it('passes axe in light, dark and forced colors', async () => {
    const visitor = await story.visit({ reducedMotion: 'reduce' });
    await visitor.enter(desk.everything);
    for (const place of places) {
      await visitor.open(place);
      await settled(visitor);
      for (const media of LOOKS) {
        await visitor.page.emulateMedia(media);
        expect([place, media, await visitor.accessibilityProblems()]).toEqual([place, media, []]);
        if (media.forcedColors === 'none') await picture(visitor, place, media.colorScheme);
      }
      expect(await visitor.page.title()).toMatch(/ · Lucarne$/);
      // With reduced motion, nothing moves.
      expect(
        await visitor.page.evaluate(
          'document.getAnimations().filter(({ effect }) => effect.getTiming().duration > 1).length',
        ),
      ).toBe(0);
    }
  }, 480_000);

  it('keeps its heading when its object does not exist', async () => {
    const visitor = await story.visit();
    await visitor.enter(desk.everything);
    for (const [place, heading] of [
      ['/a/payments/cases/cas_0000000000', 'Case'],
      ['/a/payments/requests/crq_0000000000', 'Case request'],
      ['/organization/assets/ast_0000000000', 'Asset'],
      ['/organization/people/usr_0000000000', 'Member'],
    ] as const) {
      await visitor.open(place);
      await visitor.page.getByRole('heading', { level: 2, name: 'Nothing here' }).waitFor();
      await visitor.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      expect([place, await problemsInEveryLook(visitor)]).toEqual([place, []]);
    }
  });

  it('fits a screen of 320 px, in English and in French', async () => {
    for (const locale of ['en-GB', 'fr-FR']) {
      const visitor = await story.visit({ viewport: { width: 320, height: 640 }, locale });
      await visitor.enter(desk.everything);
      for (const place of places) {
        await visitor.open(place);
        await settled(visitor);
        expect([locale, place, await isWiderThanScreen(visitor)]).toEqual([locale, place, false]);
        await visitor.page.evaluate(SPACED);
        const spaced = { isWider: await isWiderThanScreen(visitor), cut: await visitor.page.evaluate(CUT) };
        expect([locale, place, spaced]).toEqual([locale, place, { isWider: false, cut: [] }]);
        await visitor.page.evaluate('void document.adoptedStyleSheets.pop()');
        await picture(visitor, place, `narrow.${locale.slice(0, 2)}`);
      }
      // A phone has no Escape key.
      await visitor.open('/');
      await settled(visitor);
      await visitor.page.getByRole('button', { name: 'Menu' }).click();
      const menu = visitor.page.getByRole('dialog');
      await menu.getByRole('button', { name: /^(Close|Fermer)$/ }).click();
      await menu.waitFor({ state: 'detached' });
      expect(await visitor.page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
      expect(await visitor.accessibilityProblems()).toEqual([]);
    }
  }, 480_000);

  it('shows an auditor the transactions of a case, with totals and by day: in every color scheme, and on a narrow screen', async () => {
    const id = await desk.openCase('Payments of the quarter');
    await seedRecords(
      story.app.application.foundation,
      desk.asset,
      Array.from({ length: 24 }, (_, index) => ({
        blockTime: daysAgo(2 + Math.floor((index * 5) / 4)),
        ciphertexts: auditorCiphertexts(
          desk.asset.auditorPublicKey,
          BigInt(12_500_000 + 3_700_000 * (index % 7)),
        ),
      })),
    );
    const visitor = await story.visit({ reducedMotion: 'reduce', viewport: { width: 1200, height: 760 } });
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('27, all of them').waitFor();
    await page
      .getByRole('button', { name: /^Amount: Checked here$/ })
      .first()
      .waitFor();
    for (const part of ['Totals', 'Charts by day']) {
      await page.getByRole('button', { name: part, exact: true }).click();
      await settled(visitor);
      for (const media of LOOKS) {
        await page.emulateMedia(media);
        expect([part, media, await visitor.accessibilityProblems()]).toEqual([part, media, []]);
        if (media.forcedColors === 'none')
          await picture(visitor, `/a/payments/case?tab=${part.replaceAll(' ', '_')}`, media.colorScheme);
      }
      await page.emulateMedia(LOOKS[0]);
    }
    await page.evaluate('scrollBy(0, document.querySelector("figure").getBoundingClientRect().top - 260)');
    await shown(visitor, 'case');
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await isWiderThanScreen(visitor)).toBe(false);
    expect(await page.evaluate(OVERLAPPING)).toEqual([]);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await picture(visitor, '/a/payments/case?tab=Charts_by_day', 'narrow.en');
  }, 480_000);

  it('shows an administrator what an approval discloses, before the approval', async () => {
    const id = await desk.ask('Origin of the largest payments');
    const visitor = await story.visit({ reducedMotion: 'reduce', viewport: { width: 1200, height: 760 } });
    await visitor.enter(desk.administrator, `/a/payments/requests/${id}`);
    await visitor.page.getByRole('button', { name: 'Approve…' }).click();
    await visitor.page.getByRole('alertdialog').waitFor();
    await loaded(visitor.page);
    for (const media of LOOKS) {
      await visitor.page.emulateMedia(media);
      expect([media, await visitor.accessibilityProblems()]).toEqual([media, []]);
      if (media === LOOKS[0]) await shown(visitor, 'approve');
    }
  }, 120_000);

  it('opens dialogs that pass axe in every color scheme, close with Escape, and return the focus', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything);
    let opened = 0;
    for (const place of places) {
      await visitor.open(place);
      await settled(visitor);
      const openers = page.locator('main .button').filter({ hasText: /…$/ });
      for (let index = 0; index < (await openers.count()); index += 1) {
        const opener = openers.nth(index);
        if (!(await opener.isEnabled())) continue;
        const name = await opener.textContent();
        await opener.focus();
        await page.keyboard.press('Enter');
        const dialog = page.locator('[role=dialog], [role=alertdialog]');
        await dialog.waitFor();
        await loaded(page);
        for (const media of LOOKS) {
          await page.emulateMedia(media);
          expect([place, name, media, await visitor.accessibilityProblems()]).toEqual([
            place,
            name,
            media,
            [],
          ]);
        }
        await page.emulateMedia(LOOKS[0]);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await until(page, 'document.activeElement !== document.body');
        expect([place, await page.locator(':focus').textContent()]).toEqual([place, name]);
        opened += 1;
      }
    }
    expect(opened).toBeGreaterThanOrEqual(15);
  }, 800_000);

  describe('returning to a place', () => {
    it('restores the scroll position and the followed link with Back', async () => {
      for (let count = 0; count < 30; count += 1) await desk.ask(`Request ${count}`);
      const visitor = await story.visit({ viewport: { width: 1000, height: 500 } });
      const { page } = visitor;
      await visitor.enter(desk.everything, '/a/payments/requests');
      const link = page.getByRole('link', { name: 'Request 25' });
      await link.focus();
      const top = Number(await page.evaluate('scrollY'));
      expect(top).toBeGreaterThan(300);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Request 25' }).waitFor();
      expect(await page.evaluate('scrollY')).toBe(0);
      await page.goBack();
      await until(page, `scrollY === ${top}`);
      await until(page, 'document.activeElement.textContent === "Request 25"');
    });
  });
});
