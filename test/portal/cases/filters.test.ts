import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { portalStories } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('the filters of a list', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  const chosen = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue();

  it('ignore values in the URL that the case does not have', async () => {
    const id = await desk.openCase('An address of another case');
    const visitor = await story.visit();
    const query = 'type=burned&asset=ast_00000000000000000000000000&from=yesterday';
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}?${query}`);
    await visitor.page.getByText('3, all of them').waitFor();
  });

  it('accept a day that is typed digit by digit', async () => {
    const id = await desk.openCase('A day by keyboard');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('3, all of them').waitFor();
    const addresses: string[] = [];
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await page.getByLabel('From day').focus();
    // In the order of the browser’s own language, which is that of the United States.
    await page.keyboard.type('01312020', { delay: 30 });
    await page.waitForURL(/from=2020-01-31/);
    expect(await chosen(page, 'From day (UTC)')).toBe('2020-01-31');
    // The years 2, 20 and 202 were not requested.
    expect(addresses.filter((address) => address.includes('from=0'))).toEqual([]);
  });
});
