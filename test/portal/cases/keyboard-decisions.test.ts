import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { retryRelay } from '../../../src/domain/relays/admission/retry-relay.js';
import { submitRelay } from '../../../src/domain/relays/admission/submit-relay.js';
import {
  change,
  freshPackage,
  openDesk as openRelayDesk,
  openProofs,
  TO_FAILED,
} from '../../domain/relays/desk-kit.js';
import { portalStories, until } from '../../kit/browser/portal.js';
import { seedMember } from '../../kit/seed.js';
import { keysOf, openDesk, tabTo, type Desk } from '../kit.js';

portalStories('decisions with the keyboard only', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });
  const confirmed = (page: Page) => page.getByRole('alertdialog');
  /** The dialog opens on Cancel, so that the key that opened it confirms nothing. */
  const onCancel = (page: Page) => until(page, 'document.activeElement.textContent === "Cancel"');

  it('decide a disclosure', async () => {
    await desk.askDisclosure('Decided by keyboard');
    const visitor = await story.visit();
    const { page } = visitor;
    const keys = keysOf(page);
    await visitor.enter(desk.everything, '/disclosures');
    await page.getByRole('link', { name: 'Decided by keyboard' }).waitFor();
    await keys.press(/^Decided by keyboard$/);
    await keys.arrive('Decided by keyboard');
    await page.getByRole('button', { name: 'Authorize…' }).waitFor();
    await keys.press(/^Authorize…$/);
    await onCancel(page);
    await keys.type(/^Reason/, 'For the auditor');
    await keys.press(/^Disclose the values$/);
    await confirmed(page).waitFor({ state: 'detached' });
    await page.getByText('For the auditor').waitFor();
    await until(page, 'document.activeElement !== document.body');
    // What was decided is said in the log, and not only that it was.
    await story.logged();
    await visitor.open('/organization/log');
    await page.getByText('Olga Owner authorized a disclosure').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('create a report and download it', async () => {
    const id = await desk.openCase('Reported by keyboard');
    const visitor = await story.visit();
    const { page } = visitor;
    const keys = keysOf(page);
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}?tab=reports`);
    await page.getByRole('button', { name: 'Create a report…' }).waitFor();
    await keys.press(/^Create a report…$/);
    await page.getByRole('dialog').waitFor();
    await tabTo(page, /^CSV/);
    await page.keyboard.press('ArrowDown');
    await keys.press(/^Create the report$/);
    await page.getByText('The report is finished.').waitFor();
    await until(page, 'document.activeElement.textContent === "Create a report…"');
    await page.getByRole('link', { name: 'Download' }).waitFor();
    const download = page.waitForEvent('download');
    await keys.press(/Download/);
    expect((await download).suggestedFilename()).toMatch(/\.json$/);
    await keys.press(/^Check a file…/);
    const dialog = page.getByRole('dialog');
    // A file that is not chosen yet is not said to be checked.
    await dialog.getByText('The entry of the log, not the file:').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until(page, 'document.activeElement.textContent === "Check a file…"');
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('end a case', async () => {
    const id = await desk.openCase('Ended by keyboard');
    const visitor = await story.visit();
    const { page } = visitor;
    const keys = keysOf(page);
    await visitor.enter(desk.administrator, `/a/payments/cases/${id}`);
    await page.getByRole('button', { name: 'End the case…' }).waitFor();
    await keys.press(/^End the case…$/);
    await onCancel(page);
    // Without a reason, the field that lacks it has the focus.
    await keys.press(/^End the case$/);
    await page.getByText('Fill this in.').waitFor();
    await page.keyboard.type('Answered');
    await keys.press(/^End the case$/);
    await confirmed(page).waitFor({ state: 'detached' });
    await page.getByText('Ada Administrator ended this case early').waitFor();
    await until(page, 'document.activeElement !== document.body');
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('export the log', async () => {
    await story.logged();
    const visitor = await story.visit();
    const { page } = visitor;
    const keys = keysOf(page);
    await visitor.enter(desk.everything, '/organization/log');
    await page.getByRole('button', { name: 'Export with proofs…' }).waitFor();
    await keys.press(/^Export with proofs…$/);
    await onCancel(page);
    const download = page.waitForEvent('download');
    await keys.press(/^Export the log$/);
    expect((await download).suggestedFilename()).toBe('activity-log.json');
    await page.getByText('The file is saved.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await keys.press(/^Close$/);
    await confirmed(page).waitFor({ state: 'detached' });
    await until(page, 'document.activeElement.textContent === "Export with proofs…"');
  });

  it('send a failed relay again', async () => {
    const { foundation } = story.app.application;
    await using proofs = openProofs();
    await using relays = await openRelayDesk(foundation, proofs);
    const hints = { applicationIdHints: [story.app.organization.application.checkApplicationId] };
    const { relayRequestId: id } = await submitRelay(relays, '192.0.2.1', freshPackage(hints));
    await change(foundation, id, ...TO_FAILED);
    const visitor = await story.visit();
    const { page } = visitor;
    const keys = keysOf(page);
    // This gateway relays for no pool: the answer of one that does.
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation RetryRelay')) return route.fallback();
      const { status } = await retryRelay(relays, '192.0.2.1', id);
      return route.fulfill({ json: { data: { retryRelayRequest: { status } } } });
    });
    await visitor.enter(desk.everything, `/organization/relays/${id}`);
    await page.getByRole('button', { name: 'Try again…' }).waitFor();
    await keys.press(/^Try again…$/);
    await onCancel(page);
    await keys.press(/^Send it again$/);
    await confirmed(page).waitFor({ state: 'detached' });
    await page.getByText('queued', { exact: true }).last().waitFor();
    await until(page, 'document.activeElement !== document.body');
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('grant a member all permissions of an auditor at once, and the member has them without a reload', async () => {
    const { foundation } = story.app.application;
    const fresh = await seedMember(foundation, story.app.organization.organization.id, {}, 'Nora New');
    const member = await story.visit();
    await member.enter(fresh);
    await member.page.getByText('You have no permission yet.').waitFor();

    const visitor = await story.visit();
    const { page } = visitor;
    const keys = keysOf(page);
    await visitor.enter(desk.everything, '/organization/people');
    await page.getByRole('button', { name: 'Change permissions… Nora New' }).waitFor();
    await keys.press(/^Change permissions… Nora New/);
    await page.getByRole('group', { name: 'Acme payments: auditor' }).waitFor();
    await tabTo(page, /^reports:view_transactions/);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    expect(await page.getByText('+ added:').count()).toBe(6);
    await keys.press(/^Save the permissions$/);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('6 permissions (auditor)').waitFor();
    await until(page, 'document.activeElement.getAttribute("aria-label") === "Change permissions… Nora New"');
    expect(await visitor.accessibilityProblems()).toEqual([]);

    await tabTo(member.page, /^Look again$/);
    await member.page.keyboard.press('Enter');
    await member.page.getByRole('navigation').getByRole('link', { name: 'Case requests' }).waitFor();
    await until(member.page, 'document.activeElement !== document.body');
  });

  it('keep a secret until it is stored, and then have what opened its dialog', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    const keys = keysOf(page);
    await visitor.enter(desk.everything, '/organization/people');
    await page.getByRole('button', { name: 'Invite a person…' }).waitFor();
    await keys.press(/^Invite a person…$/);
    await keys.type(/^E-mail address/, 'nik@example.org');
    await keys.type(/^Name/, 'Nik Next');
    await keys.press(/^Create the invitation$/);
    await page.getByText('It is for nik@example.org.').waitFor();
    await page.keyboard.press('Escape');
    await keys.press(/^I have handed it over$/);
    await confirmed(page).waitFor({ state: 'detached' });
    await until(page, 'document.activeElement.textContent === "Invite a person…"');
  });
});
