import { beforeAll, expect, it } from '@jest/globals';
import { portalStories } from '../kit/portal.js';
import { openDesk, type Desk } from './kit.js';

portalStories('New rows of a live list', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    await desk.ask('Before anyone looks');
    await story.logged();
  });

  it('wait above it while the pointer is among its rows, which do not move', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/account');
    // The sign-in is an entry, too, and must not be the new one.
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
    await page.getByRole('button', { name: 'Show what is new' }).click();
    await page.getByText('1 new row', { exact: true }).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(before[0] + 1);
  });

  it('appear at once where nobody reads it', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/account');
    // The sign-in is an entry, too, and must not be the new one.
    await story.logged();
    await visitor.open('/organization/log');
    await page.getByRole('heading', { level: 1 }).hover();
    const marks = page.getByRole('button', { name: /^Entry \d+: / });
    await marks.first().waitFor();
    const count = await marks.count();
    await desk.ask('While nobody looks');
    await marks.nth(count).waitFor();
    expect(await page.getByRole('button', { name: 'Show what is new' }).count()).toBe(0);
  });
});
