import { beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { portalStories } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('proposals that wait for a second person', (story) => {
  let desk: Desk;
  let second: SeededUser;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    const { foundation } = story.app.application;
    const { id } = story.app.organization.organization;
    const auditing = { foreignId: 'payments', common: PERMISSIONS.common, auditor: PERMISSIONS.auditor };
    second = await seedMember(foundation, id, { owner: PERMISSIONS.owner }, 'Zoe Zweite');
    await seedMember(foundation, id, { applications: [auditing] }, 'Abel Auditor');
    await foundation.database.rows(sql`update organizations set require_second_person = true`);
  });

  it('let the person who proposed something withdraw it, and nobody else', async () => {
    const id = await desk.openCase('Was proposed by mistake');
    const first = await story.visit();
    const { page } = first;
    await first.enter(desk.everything, `/a/payments/cases/${id}`);
    await page.getByRole('button', { name: 'Add an auditor…' }).click();
    await page.getByLabel('Auditor', { exact: true }).selectOption({ label: 'Abel Auditor' });
    await page.getByLabel('Reason').fill('By mistake');
    await page.getByRole('button', { name: 'Add the auditor' }).click();
    await page.getByRole('alert').getByText('Proposed.').waitFor();

    const other = await story.visit();
    await other.enter(second, '/organization/settings');
    const seen = other.page.getByRole('row', { name: /^Add an auditor to a case/ }).filter({ hasText: id });
    await seen.getByText('Olga Owner').waitFor();
    expect(await seen.getByRole('button').count()).toBe(0);

    await first.enter(desk.everything, '/organization/settings');
    const own = page.getByRole('row', { name: /^Add an auditor to a case/ }).filter({ hasText: id });
    await own.getByRole('button', { name: 'Withdraw… Add an auditor to a case' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'This withdraws your proposal.' });
    await dialog.getByText(/^Abel Auditor usr_/).waitFor();
    expect(await first.accessibilityProblems()).toEqual([]);
    await dialog.getByRole('button', { name: 'Withdraw the proposal' }).click();
    await dialog.waitFor({ state: 'detached' });
    await own.waitFor({ state: 'detached' });
    await first.enter(desk.everything, '/organization/log');
    // Not the choice of the filter.
    const told = page.getByText('withdrew the proposal of an operation');
    await told.and(page.locator(':not(option)')).first().waitFor();
  });
});
