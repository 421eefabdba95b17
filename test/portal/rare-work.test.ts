import { beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../src/domain/access/index.js';
import { createApplication } from '../../src/domain/organizations/index.js';
import { portalStories } from '../kit/portal.js';
import { seedMember } from '../kit/seed.js';
import { openDesk, type Desk } from './kit.js';

portalStories('Rare work in the portal', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });
  const member = (name: string, permissions: object = {}) =>
    seedMember(story.app.application.foundation, story.app.organization.organization.id, permissions, name);

  it('exports the log with its proofs, into a file that the page itself can check', async () => {
    await story.logged();
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/log');
    await page.getByRole('button', { name: 'Export with proofs…' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Export the log' });
    expect(await page.locator(':focus').textContent()).toBe('Cancel');
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export the log' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('activity-log.json');
    await dialog.waitFor({ state: 'detached' });
    // That it was exported is logged, too.
    await page.getByText('Olga Owner exported the activity log').first().waitFor();
    await visitor.open('/verify');
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(await file.path());
    await page.getByText('This is an export of the activity log.').waitFor();
    await page.getByRole('button', { name: 'File: Checked here' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('erases the values of a former member, whose id is typed twice, permanently', async () => {
    const leaving = await member('Leo Leaving');
    const { userId } = leaving.principal;
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, `/organization/people/${userId}`);
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByLabel('Type “Leo Leaving” to confirm').fill('Leo Leaving');
    await page.getByRole('button', { name: 'Remove the member' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await page.getByRole('button', { name: 'Erase personal values…' }).click();
    const dialog = page.getByRole('alertdialog');
    const send = dialog.getByRole('button', { name: 'Erase the values' });
    await dialog.getByLabel('Id of the former member').fill(userId);
    await dialog.getByLabel('The same id again').fill(desk.auditor.principal.userId);
    await send.click();
    await dialog.getByText('The two ids are not the same.').waitFor();
    // A member keeps the name.
    await dialog.getByLabel('Id of the former member').fill(desk.auditor.principal.userId);
    await send.click();
    await dialog.getByRole('alert').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByLabel('Id of the former member').fill(userId);
    await dialog.getByLabel('The same id again').fill(userId);
    await send.click();
    await page
      .getByRole('status')
      .getByText(/values? (was|were) erased/)
      .waitFor();
    await dialog.waitFor({ state: 'detached' });
    await visitor.open(`/organization/log?of=${userId}`);
    await page.getByText('Olga Owner removed a member').waitFor();
    expect(await page.getByText('Leo Leaving').count()).toBe(0);
  });

  it('switches between applications, of which each has the places that the member may see', async () => {
    const { application } = story.app;
    await createApplication(application.foundation, story.app.organization.owner.principal, {
      foreignId: 'treasury',
      name: 'Treasury',
    });
    const both = await member('Ben Both', {
      applications: [
        { foreignId: 'payments', common: PERMISSIONS.common, auditor: PERMISSIONS.auditor },
        { foreignId: 'treasury', common: PERMISSIONS.common },
      ],
    });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(both);
    const navigation = page.getByRole('navigation');
    const choice = navigation.getByLabel('Application');
    await navigation.getByRole('link', { name: 'Cases' }).waitFor();
    await choice.selectOption('Treasury');
    await page.waitForURL('**/a/treasury/log');
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Cases' }).count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await choice.selectOption({ value: 'payments' });
    await page.waitForURL('**/a/payments/requests');
    await navigation.getByRole('link', { name: 'Cases' }).waitFor();
    // An application chosen by its address is the one that the navigation shows.
    await visitor.open('/a/treasury/log');
    expect(await choice.inputValue()).toBe('treasury');
  });
});
