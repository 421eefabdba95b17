import { beforeAll, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { portalStories, problemsInEveryLook } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

/** What a screen reader says of a group of boxes after its name. */
const descriptionOf = async (group: Locator) => {
  const id = await group.getAttribute('aria-describedby');
  return group.locator(`[id="${id}"]`).textContent();
};

portalStories('boxes of which at least one must be checked', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  it.each([
    ['an approval for less', 'Open the case for', 'Keep at least one'],
    ['a new request', 'File the request', 'Choose at least one'],
  ])('say below them that none is, in %s, whose button leads to them', async (form, button, problem) => {
    const isNew = form === 'a new request';
    const visitor = await story.visit();
    const { page } = visitor;
    if (isNew) await visitor.enter(desk.auditor, '/a/payments/requests/new');
    else {
      await visitor.enter(desk.administrator, `/a/payments/requests/${await desk.ask('Less, please')}`);
      await page.getByRole('button', { name: 'Approve…' }).click();
      await page.getByLabel('Grant less than was requested').check();
    }
    if (isNew) await page.getByLabel('Why do you need it?').fill('A yearly audit');
    let sent = 0;
    page.on('request', (request) => {
      if (/mutation (Create|Approve)CaseRequest/.test(request.postData() ?? '')) sent += 1;
    });
    for (const [box, name, what] of [
      ['Ana Auditor', 'Auditors', 'auditor'],
      ['Private Dollar', 'Assets', 'asset'],
    ] as const) {
      const group = page.getByRole('group', { name });
      const one = group.getByLabel(box);
      await one.uncheck();
      const sentence = group.getByRole('alert').getByText(`${problem} ${what}.`);
      await sentence.waitFor();
      expect(await descriptionOf(group)).toBe(`${problem} ${what}.`);
      const [above, below] = [await one.boundingBox(), await sentence.boundingBox()];
      expect(above!.y + above!.height).toBeLessThanOrEqual(below!.y);
      expect(await problemsInEveryLook(visitor)).toEqual([]);
      await page.getByRole('button', { name: button }).click();
      expect(await one.and(page.locator(':focus')).count()).toBe(1);
      await one.check();
      await sentence.waitFor({ state: 'detached' });
    }
    expect(sent).toBe(0);
    await page.getByRole('button', { name: button }).click();
    await page
      .getByText(isNew ? 'A yearly audit' : 'approved')
      .first()
      .waitFor();
    expect(sent).toBe(1);
  });

  it('say so in French', async () => {
    const visitor = await story.visit({ locale: 'fr-FR' });
    const { page } = visitor;
    await visitor.enter(desk.auditor, '/a/payments/requests/new');
    await page.getByLabel('Ana Auditor').uncheck();
    await page.getByRole('alert').getByText('Choisissez au moins un auditeur.').waitFor();
  });
});
