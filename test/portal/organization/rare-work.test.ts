import { beforeAll, expect, it } from '@jest/globals';
import { OPERATOR, parsePermissionSet, PERMISSIONS } from '../../../src/domain/access/index.js';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { createUser } from '../../../src/domain/organizations/members/create-user.js';
import { retryRelay } from '../../../src/domain/relays/admission/retry-relay.js';
import { submitRelay } from '../../../src/domain/relays/admission/submit-relay.js';
import {
  change,
  freshPackage,
  openDesk as openRelayDesk,
  openProofs,
  TO_FAILED,
} from '../../domain/relays/desk-kit.js';
import { portalStories, within, type Answered } from '../../kit/browser/portal.js';
import { seedMember } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('rare work in the portal', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });
  const member = (name: string, permissions: object = {}) =>
    seedMember(story.app.application.foundation, story.app.organization.organization.id, permissions, name);

  it('exports the log with its proofs to a file that the page itself can verify', async () => {
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
    await dialog.getByText('The file is saved.').waitFor();
    await dialog.getByText(/^The file has all \d+ entries of the log\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    // The export is logged, too.
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

  it('erases the values of a former member permanently, after the name is typed', async () => {
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
    // The name of a current member is not erased: the log says of no removal.
    await dialog.getByLabel('Id of the former member').fill(desk.auditor.principal.userId);
    await dialog.getByLabel('The same id again').fill(userId);
    await send.click();
    await dialog.getByText('The two ids are not the same.').waitFor();
    await dialog.getByLabel('The same id again').fill(desk.auditor.principal.userId);
    await send.click();
    await dialog.getByRole('alert').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByLabel('Id of the former member').fill(userId);
    await dialog.getByLabel('Type “Leo Leaving” to confirm').fill('Ana Auditor');
    await send.click();
    await dialog.getByText('This is another name.').waitFor();
    await dialog.getByLabel('Type “Leo Leaving” to confirm').fill('Leo Leaving');
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

  it('removes and erases a member whose name holds spaces that a page does not show', async () => {
    const { principal } = await member(' Ren\u00e9  Leaving ');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, `/organization/people/${principal.userId}`);
    const typed = page.getByLabel(/^Type “/);
    await page.getByRole('button', { name: 'Remove…' }).click();
    await typed.fill('Rene\u0301 Leaving');
    await page.getByRole('button', { name: 'Remove the member' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await page.getByRole('button', { name: 'Erase personal values…' }).click();
    await page.getByLabel('Id of the former member').fill(principal.userId);
    await typed.fill('Ren\u00e9 Leaving');
    await page.getByRole('button', { name: 'Erase the values' }).click();
    await page
      .getByRole('status')
      .getByText(/values? (was|were) erased/)
      .waitFor();
  });

  it('keeps the dialog of a permission that another owner confirmed meanwhile, and says so', async () => {
    const { page, ...visitor } = await story.visit();
    let waits = true;
    await visitor.betray((operation, data) => {
      if (operation !== 'PendingPermissionGrants' || !waits) return;
      (within(data, 'pendingPermissionGrants', 'nodes') as unknown as Answered[]).push({
        id: 'grt_confirmed',
        bucket: 'administrator',
        permission: 'cases:approve_creation',
        foreignId: 'payments',
        userId: desk.auditor.principal.userId,
        grantedBy: desk.administrator.principal.userId,
        createdAt: new Date().toISOString(),
      });
    });
    await visitor.enter(desk.everything, '/organization/people');
    await page.getByRole('button', { name: 'Confirm… cases:approve_creation' }).click();
    waits = false;
    const dialog = page.getByRole('alertdialog', { name: 'This permission takes effect.' });
    await dialog.getByRole('button', { name: 'Confirm the permission' }).click();
    await page.getByText('No permission waits.').waitFor();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Permissions that wait for a second person').waitFor({ state: 'detached' });
  });

  it('switches between applications, each with the pages that the member may see', async () => {
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
    // The navigation shows the application of the URL.
    await visitor.open('/a/treasury/log');
    expect(await choice.inputValue()).toBe('treasury');
  });

  it('switches between a person’s organizations, and every tab then shows the selected one', async () => {
    const { foundation } = story.app.application;
    const { other } = story.app;
    const permissions = { owner: PERMISSIONS.owner };
    const both = await member('Bea Both', permissions);
    const { accountId } = both.principal;
    await foundation.database.transaction((transaction) =>
      createUser(
        transaction,
        { organizationId: other.organization.id, accountId, email: both.email, name: 'Bea Both' },
        parsePermissionSet(permissions),
        { actor: OPERATOR, grantedBy: OPERATOR.id },
        foundation.clock.now(),
      ),
    );
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(both, '/organization/people');
    await page.getByText('Ada Administrator').first().waitFor();
    const second = await visitor.context.newPage();
    await second.goto(`${story.app.url}/portal/organization/people`);
    await second.getByText('Ada Administrator').first().waitFor();
    const choice = page.getByRole('navigation').getByLabel('Organization', { exact: true });
    expect(await visitor.accessibilityProblems()).toEqual([]);
    // A refusal is shown there, and nothing changes.
    await visitor.context.setOffline(true);
    await choice.selectOption({ label: 'Other' });
    await page.getByRole('navigation').getByRole('alert').waitFor();
    expect(await choice.inputValue()).toBe(story.app.organization.organization.id);
    await visitor.context.setOffline(false);
    await page.getByText('Not connected since').waitFor({ state: 'detached' });
    await choice.selectOption({ label: 'Other' });
    for (const tab of [page, second]) {
      await tab.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
      const chosen = tab.getByRole('navigation').getByLabel('Organization', { exact: true });
      await tab.waitForURL(/\/portal\/$/);
      expect(await chosen.inputValue()).toBe(other.organization.id);
      await tab.getByRole('link', { name: 'People' }).click();
      await tab.getByText('Other Owner').first().waitFor();
      expect(await tab.getByText('Ada Administrator').count()).toBe(0);
    }
  });

  it('sends a failed relay again, and opens the new one', async () => {
    const { foundation } = story.app.application;
    await using proofs = openProofs();
    await using relays = await openRelayDesk(foundation, proofs);
    const submit = async () => {
      const hints = { applicationIdHints: [story.app.organization.application.checkApplicationId] };
      const { relayRequestId } = await submitRelay(relays, '192.0.2.1', freshPackage(hints));
      await change(foundation, relayRequestId, ...TO_FAILED);
      return relayRequestId;
    };
    const places = [
      { of: (id: string) => `/organization/relays/${id}`, about: 'as its owner' },
      { of: (id: string) => `/relay#${id}`, about: 'by its id alone' },
    ];
    for (const { of: pathOf, about } of places) {
      const id = await submit();
      const visitor = await story.visit();
      const { page } = visitor;
      await visitor.enter(desk.everything, pathOf(id));
      await page.getByRole('button', { name: 'Try again…' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'This sends the package again.' });
      expect(await page.locator(':focus').textContent()).toBe('Cancel');
      const send = dialog.getByRole('button', { name: 'Send it again' });
      await send.click();
      // This gateway relays for no pool, which is shown where it was tried.
      await dialog.getByRole('alert').getByText('does not serve this pool now').waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
      // The answer of a gateway that does.
      await page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('mutation RetryRelay')) return route.fallback();
        const { status } = await retryRelay(relays, '192.0.2.1', id);
        return route.fulfill({ json: { data: { retryRelayRequest: { status } } } });
      });
      await send.click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('queued', { exact: true }).last().waitFor();
      expect(await page.getByRole('button', { name: 'Try again…' }).count()).toBe(0);
      await change(foundation, id, { to: 'submitted' });
      await page.getByText('It may have landed. Do not send another.').waitFor();
      await change(foundation, id, { to: 'reconciling' }, { to: 'rejected', reason: 'nullifiers_spent' });
      await page.getByText('Another transaction spent what this package spends.').first().waitFor();
      expect([about, await page.locator('.timeline .badge').allTextContents()]).toEqual([
        about,
        ['accepted', 'being checked', 'failed', 'queued', 'submitted', 'in doubt', 'rejected'],
      ]);
    }
  });
});
