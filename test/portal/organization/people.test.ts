import { beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { portalStories } from '../../kit/browser/portal.js';
import { seedMember } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('people in the portal', (story) => {
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

  it('get permissions after a dialog has shown what is added and removed', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/people');
    const row = page.getByRole('listitem').filter({ hasText: 'Nora New' });
    await row.getByText('no second factor').waitFor();
    await row.getByText('1 permission').waitFor();
    await row.getByText(/ · member since [^·]* UTC · /).waitFor();
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
    await changes.getByText(/\+ added: .*: auditor · cases:create File case requests/).waitFor();
    await changes.getByText(/− removed: .*: common · logs:view_activity Read and export/).waitFor();
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

  it('have a page each, reached by name or by a pasted id', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    const { everything } = desk;
    await visitor.enter(everything, '/organization/people');
    await page.getByRole('link', { name: 'Nora New' }).click();
    await page.getByRole('heading', { level: 1, name: 'Nora New' }).waitFor();
    const state = page.getByRole('region', { name: 'State' });
    await state.getByText(/^last here/).waitFor();
    await page.getByRole('button', { name: 'End sessions…' }).click();
    await page.getByRole('button', { name: 'End the sessions' }).click();
    await state.getByText('no open session').waitFor();
    await state.getByText('none', { exact: true }).waitFor();
    const held = page.getByRole('region', { name: /: auditor$/ });
    await held.getByRole('term').getByText('cases:create').waitFor();
    await held
      .getByRole('definition')
      .filter({ hasText: 'File case requests; read the requests they filed.' })
      .waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);

    await page.keyboard.press('Control+k');
    await page.getByLabel('Name of a place, or an id').fill(everything.principal.userId);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Olga Owner' }).waitFor();
    await state.getByText(/^last here/).waitFor();
    await page.getByRole('button', { name: 'Remove…' }).waitFor();
    // Members cannot reset their own sign-in.
    expect(await page.getByRole('button', { name: 'Reset sign-in…' }).count()).toBe(0);

    // A form that was opened for one member is not shown for the previous one.
    await page.getByRole('button', { name: 'Change permissions…' }).click();
    await page.getByRole('dialog', { name: 'Permissions of Olga Owner' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Nora New' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('have no page after they are removed, for the owner who removes them and for other readers', async () => {
    const leaving = await seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      {},
      'Leo Leaving',
    );
    const [visitor, other] = [await story.visit(), await story.visit()];
    const path = `/organization/people/${leaving.principal.userId}`;
    await visitor.enter(desk.everything, path);
    await other.enter(desk.everything, path);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByLabel('Type “Leo Leaving” to confirm').fill('Leo Leaving');
    await page.getByRole('button', { name: 'Remove the member' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await page.getByRole('link', { name: 'Nora New' }).waitFor();
    expect(await page.getByRole('link', { name: 'Leo Leaving' }).count()).toBe(0);

    // Another window notices it with its next action.
    await other.page.getByRole('button', { name: 'End sessions…' }).click();
    await other.page.getByRole('button', { name: 'End the sessions' }).click();
    await other.page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    expect(await other.page.getByRole('heading', { name: 'Leo Leaving' }).count()).toBe(0);
  });

  it('have no page if they belong to another organization, or if the reader does not manage members', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, `/organization/people/${story.app.other.owner.principal.userId}`);
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    const other = await story.visit();
    await other.enter(desk.auditor, `/organization/people/${desk.everything.principal.userId}`);
    await other.page.getByRole('heading', { name: 'No permission' }).waitFor();
    expect(await other.accessibilityProblems()).toEqual([]);
    // Actions that would be refused are not offered.
    await other.open('/organization/people');
    await other.page.getByRole('heading', { name: 'No permission' }).waitFor();
    expect(await other.page.locator('main').getByRole('button').allTextContents()).toEqual([]);
  });

  it('cannot lose the last permission to manage members, which the dialog explains in advance', async () => {
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

  it('have a link to their log entries', async () => {
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
    await page.getByText('Ana Auditor requested a case').waitFor({ state: 'detached' });
    expect(await decided.count()).toBeGreaterThan(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    // A filter is in the URL, so reloading the page keeps it.
    await page.reload();
    await who.locator('option:checked', { hasText: 'Ada Administrator' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Ana Auditor requested a case').first().waitFor();

    // The history of one request.
    await decided
      .first()
      .getByText(/^Entry/)
      .first()
      .click();
    await decided.first().getByRole('button', { name: 'Show only what was done to the same' }).click();
    const only = page.getByText(/^Only what was done to this is shown: /);
    await only.filter({ hasText: 'Asked and decided' }).waitFor();
    const entries = page.getByRole('list', { name: /^Entries of/ }).getByRole('listitem');
    await entries.filter({ hasText: 'opened a case' }).waitFor({ state: 'detached' });
    await entries.filter({ hasText: 'Ana Auditor requested a case' }).waitFor();
    expect(await entries.count()).toBe(2);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('see that they have no permission, and keep permissions in applications beyond the first 200', async () => {
    const { foundation } = story.app.application;
    const { id } = story.app.organization.organization;
    const fresh = await seedMember(foundation, id, {}, 'Nils New');
    const nils = await story.visit();
    await nils.enter(fresh);
    await nils.page.getByText('You have no permission yet.').waitFor();
    expect(await nils.accessibilityProblems()).toEqual([]);

    for (let count = 0; count < 200; count += 1)
      await createApplication(foundation, desk.everything.principal, {
        foreignId: `a${count}`,
        name: `Of many ${count}`,
      });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, `/organization/people/${desk.auditor.principal.userId}`);
    await page.getByRole('button', { name: 'Change permissions…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('group', { name: 'Acme payments: common' })
      .getByLabel('logs:view_activity')
      .uncheck();
    await dialog.getByRole('button', { name: 'Save the permissions' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Acme payments: auditor' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Acme payments: common' }).count()).toBe(0);
  });
});
