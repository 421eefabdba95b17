import { beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../src/domain/access/index.js';
import { portalStories } from '../kit/portal.js';
import { seedMember } from '../kit/seed.js';
import { openDesk, type Desk } from './kit.js';

portalStories('People and what they did', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    await seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      { applications: [{ foreignId: 'payments', common: PERMISSIONS.common }] },
      'Nora New',
    );
  });

  it('get permissions after what is added and removed was said in words', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/people');
    const row = page.getByRole('listitem').filter({ hasText: 'Nora New' });
    await row.getByText('no second factor').waitFor();
    await row.getByText('1 permission').waitFor();
    await row.getByRole('button', { name: 'Change permissions…' }).click();
    const dialog = page.getByRole('dialog');
    const changes = dialog.getByRole('status', { name: 'What changes' });
    await changes.getByText('Nothing changes.').waitFor();
    await dialog
      .getByRole('group', { name: /: auditor$/ })
      .getByLabel('cases:create')
      .check();
    await dialog
      .getByRole('group', { name: /: common$/ })
      .getByLabel('logs:view_activity')
      .uncheck();
    await changes.getByText('+ added: payments/auditor cases:create').waitFor();
    await changes.getByText('− removed: payments/common logs:view_activity').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save the permissions' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Change permissions…' }).click();
    expect(
      await dialog
        .getByRole('group', { name: /: auditor$/ })
        .getByLabel('cases:create')
        .isChecked(),
    ).toBe(true);
    expect(
      await dialog
        .getByRole('group', { name: /: common$/ })
        .getByLabel('logs:view_activity')
        .isChecked(),
    ).toBe(false);
  });

  it('are told why the last one who grants permissions keeps that one, before it is tried', async () => {
    const { organization } = story.app.other;
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(story.app.other.owner, '/organization/people');
    await page.getByRole('button', { name: 'Change permissions…' }).click();
    await page.getByLabel('members:manage').uncheck();
    await page.getByText(`${organization.name} Owner is the only one who grants permissions here.`).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByLabel('members:manage').check();
    await page.getByText('is the only one who grants permissions here.').waitFor({ state: 'detached' });
  });

  it('are followed in the log one by one', async () => {
    await desk.openCase('Asked and decided');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/log');
    const decided = page
      .getByRole('listitem')
      .filter({ hasText: 'Ada Administrator approved a case request' });
    await decided
      .first()
      .getByText(/^Entry/)
      .first()
      .click();
    await decided.first().getByRole('button', { name: 'Show only what Ada Administrator did' }).click();
    const who = page.getByLabel('Who', { exact: true });
    await who.locator('option:checked', { hasText: 'Ada Administrator' }).waitFor({ state: 'attached' });
    await page.getByText('Ana Auditor asked for a case').waitFor({ state: 'detached' });
    expect(await decided.count()).toBeGreaterThan(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    // A filter is in the address: loading the page again keeps it.
    await page.reload();
    await who.locator('option:checked', { hasText: 'Ada Administrator' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Ana Auditor asked for a case').first().waitFor();

    // What was done to one request.
    await decided
      .first()
      .getByText(/^Entry/)
      .first()
      .click();
    await decided.first().getByRole('button', { name: 'Show only what was done to the same' }).click();
    await page.getByText(/^Only what was done to crq_\w+ is shown\.$/).waitFor();
    const entries = page.getByRole('list', { name: /^Entries of/ }).getByRole('listitem');
    await entries.filter({ hasText: 'opened a case' }).waitFor({ state: 'detached' });
    await entries.filter({ hasText: 'Ana Auditor asked for a case' }).waitFor();
    expect(await entries.count()).toBe(2);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
