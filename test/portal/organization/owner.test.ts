import { beforeAll, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createApiKey } from '../../../src/domain/organizations/index.js';
import { failGeneration, insertGeneration } from '../../../src/domain/reports/generation/generation-rows.js';
import { submitRelay } from '../../../src/domain/relays/admission/submit-relay.js';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import {
  change,
  freshPackage,
  openDesk as openRelayDesk,
  openProofs,
  POOL,
  TO_FAILED,
  TO_SUBMITTED,
} from '../../domain/relays/desk-kit.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { LOOKS, portalStories, within, type Answered } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

portalStories('the work of an owner', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  it('creates an application, registers an asset for it, and binds its mint', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/applications');
    await page.getByRole('button', { name: 'Create an application…' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Payroll');
    await page.getByLabel('foreignId').fill('payroll');
    await page.getByRole('button', { name: 'Create the application' }).click();
    await page.getByRole('cell', { name: 'payroll', exact: true }).waitFor();

    await page.getByRole('link', { name: 'Assets' }).click();
    await page.getByRole('button', { name: 'Register an asset…' }).click();
    await page.getByLabel('Name').fill('Payroll Euro');
    await page.getByLabel('Symbol').fill('PEUR');
    await page.getByRole('button', { name: 'Register the asset' }).click();
    await page.getByRole('heading', { level: 1, name: 'Payroll Euro (PEUR)' }).waitFor();
    await page.getByRole('button', { name: 'Assign to an application…' }).click();
    await page.getByLabel('Application').selectOption({ label: 'Payroll' });
    await page.getByRole('button', { name: 'Assign the asset' }).click();
    await page.getByRole('definition').filter({ hasText: 'Payroll' }).waitFor();
    await page.getByRole('link', { name: 'Applications' }).click();
    await page.getByRole('row', { name: 'payroll' }).getByRole('link', { name: 'PEUR' }).click();
    await page.getByRole('button', { name: 'Bind a mint…' }).click();
    await page.getByLabel('Mint address').fill('not a mint');
    await page.getByRole('dialog').getByRole('button', { name: 'Bind the mint' }).click();
    // The field is named by its label, not by its name in the schema.
    await page.getByText(/^Mint address must be/).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByLabel('Mint address').fill(randomAddress());
    await page.getByRole('dialog').getByRole('button', { name: 'Bind the mint' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Bind a mint…' }).count()).toBe(0);
    await story.app.database.rows(sql`
      update indexed_mints set status = 'error', reason = 'auditor_key_mismatch'
      where asset_id = (select id from assets where symbol = 'PEUR')`);
    await page.reload();
    await page.getByText('If this is the wrong mint, choose “Unbind the mint…”').waitFor();
    await page.getByRole('button', { name: 'Unbind the mint…' }).waitFor();
    await page.getByRole('link', { name: 'Assets' }).click();
    const row = page.getByRole('row').filter({ hasText: 'PEUR' });
    await row.getByRole('cell', { name: 'Payroll', exact: true }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('shows which auditor keys a mint had, and what can never be read', async () => {
    await story.app.database.rows(sql`
      insert into mint_auditor_keys (asset_id, from_slot, path, public_key, signature)
      values (${desk.asset.id}, 2000, '{0,0,0}', null, 'an update')`);
    // As when the indexer finds the mint of the desk.
    await story.app.database.rows(sql`
      update indexed_mints set status = 'pending', reason = 'mint_not_found' where asset_id = ${desk.asset.id}`);
    const visitor = await story.visit();
    await visitor.enter(desk.everything, `/organization/assets/${desk.asset.id}`);
    const keys = visitor.page.getByRole('table', { name: 'Auditor keys of the mint' });
    await keys.getByRole('row', { name: 'readable: your key 1' }).waitFor();
    await visitor.page.getByText('The ledger has no such mint yet.').waitFor();
    // Records are indexed: it was the right one, and cannot be unbound.
    expect(await visitor.page.getByText('If this is the wrong mint').count()).toBe(0);
    await keys.getByRole('row', { name: 'never readable: the mint had no auditor' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);

    // The same as a picture: each range at its slots, readable ranges higher than others, and drawn differently.
    const picture = visitor.page.getByRole('figure', { name: /Amounts by slot/ });
    await picture.getByText('are readable: 1 of 2.').waitFor();
    await visitor.page.setViewportSize({ width: 320, height: 640 });
    for (const look of LOOKS) {
      await visitor.page.emulateMedia(look);
      const [readable, not] = await Promise.all(
        (await picture.locator('rect').all()).map((range) => range.boundingBox()),
      );
      expect(readable!.x).toBeLessThan(not!.x);
      expect(readable!.height).toBeGreaterThan(not!.height);
      expect(not!.x + not!.width).toBeLessThanOrEqual(320);
      const fills = ['good', 'bad'].map(
        (kind) => `getComputedStyle(document.querySelector('.ranges .${kind}')).fill`,
      );
      expect(await visitor.page.evaluate(`(${fills.join(') !== (')})`)).toBe(true);
      expect([look, await visitor.accessibilityProblems()]).toEqual([look, []]);
    }
  });

  it('creates a policy, and shows it', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/policies');
    await page.getByRole('button', { name: 'Create a policy…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel('Name').fill('Few records at once');
    await dialog.getByLabel('Most records').fill('5');
    await dialog.getByLabel('Longest period, in days').fill('30');
    const account = randomAddress();
    await dialog.getByLabel('Token accounts').fill(`${account}\n`);
    // Shown for review before it is created, because it never changes.
    await dialog.getByLabel('A request within the bounds').selectOption('authorize');
    const BOUNDS = 'amount, as JSON or CSV, at most 5 records, within 30 days, of 1 named account';
    const readBack = dialog.getByRole('region', { name: 'What the policy decides' });
    await readBack.getByText(`A request within the bounds (${BOUNDS}) is authorized at once.`).waitFor();
    await readBack.getByText('Any other request waits for a person.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByLabel('Key', { exact: true }).fill('very few');
    const make = dialog.getByRole('button', { name: 'Create the policy' });
    await make.click();
    await dialog.getByText(/^Key must be/).waitFor();
    // The next click counts: the error has already disappeared, and nothing moves under the pointer.
    await dialog.getByLabel('Key', { exact: true }).fill('few');
    expect(await dialog.getByText(/^Key must be/).count()).toBe(0);
    await make.click();
    await dialog.waitFor({ state: 'detached' });
    const policy = page.getByRole('list', { name: 'Disclosure policies' }).getByRole('listitem');
    await page
      .getByText(/^A request within the bounds \(amount, as JSON or CSV, at most 5 records, within 30 days/)
      .waitFor();
    await policy.getByText(account).first().waitFor();
    await policy
      .filter({ hasText: 'Few records at once' })
      .getByRole('button', { name: /^Try a request/ })
      .click();
    const trial = page.getByRole('dialog');
    await trial.getByText('It is within every bound.').waitFor();
    await trial.getByLabel('Records').fill('6');
    await trial.getByText('It exceeds the bounds: records.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('shows only their own case requests', async () => {
    await desk.ask('Asked by an auditor');
    const { page, ...visitor } = await story.visit();
    await visitor.enter(desk.everything);
    await page.getByText('None of your requests waits for a decision.').waitFor();
    await page.getByRole('link', { name: 'Asked by an auditor' }).waitFor();
    expect(await page.getByRole('link', { name: 'Asked by an auditor' }).count()).toBe(1);
  });

  it('creates an API key whose last day is included, and which is expired afterwards', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/keys');
    await page.getByRole('button', { name: 'Create a key…' }).click();
    await page.getByLabel('Name').fill('Yearly import');
    await page.getByLabel('assets:read').check();
    const lastDay = new Date(Date.now() + 400 * DAY_MS).toISOString().slice(0, 10);
    await page.getByLabel('Last day (UTC)').fill(lastDay);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Yearly import' }).getByText('ends').waitFor();
    const [key] = await story.app.database.rows<{ expires_at: Date }>(
      sql`select expires_at from api_keys where name = 'Yearly import'`,
    );
    expect(key?.expires_at.toISOString()).toBe(`${lastDay}T23:59:59.999Z`);

    // A day later, it is not active anymore.
    await story.app.database.rows(
      sql`update api_keys set expires_at = now() - interval '1 day' where name = 'Yearly import'`,
    );
    await page.reload();
    const row = page.getByRole('listitem').filter({ hasText: 'Yearly import' });
    await row.getByText('expired', { exact: true }).waitFor();
    expect(await row.getByText('active', { exact: true }).count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('shows the whole secret of a new API key on a narrow screen', async () => {
    const width = 320;
    const visitor = await story.visit({ viewport: { width, height: 640 } });
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/keys');
    await page.getByRole('button', { name: 'Create a key…' }).click();
    await page.getByLabel('Name').fill('By phone');
    await page.getByLabel('assets:read').check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Store the secret now' });
    // It is shown once: what is cut off is lost.
    const secret = await dialog.getByText(/^lck_/).boundingBox();
    expect((secret?.x ?? width) + (secret?.width ?? 0)).toBeLessThanOrEqual(width);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByRole('button', { name: 'Copy the secret' }).waitFor();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
  });

  it('explains why an asset is not indexed', async () => {
    const visitor = await story.visit();
    await visitor.betray((operation, data) => {
      if (operation !== 'Assets') return;
      const [asset] = within(data, 'assets', 'nodes') as unknown as Answered[];
      Object.assign(within(asset, 'indexerStatus'), { status: 'error', reason: 'auditor_key_mismatch' });
    });
    await visitor.enter(desk.everything);
    const assets = visitor.page.getByRole('list', { name: 'Assets that are not followed' });
    await assets.getByText('The auditor key of the mint is not yours.').waitFor();
  });

  it('warns about a relay in doubt, and shows the name of its pool', async () => {
    const { foundation } = story.app.application;
    await using proofs = openProofs();
    await using relays = await openRelayDesk(foundation, proofs);
    const hints = { applicationIdHints: [story.app.organization.application.checkApplicationId] };
    const { relayRequestId } = await submitRelay(relays, '192.0.2.1', freshPackage(hints));
    await change(foundation, relayRequestId, ...TO_SUBMITTED);
    const visitor = await story.visit();
    const { page } = visitor;
    // This gateway has no pools, so its answer is changed to one with this pool.
    await visitor.betray((operation, data) => {
      if (operation === 'Pools') data['pools'] = [{ selector: POOL, name: 'Pool of payments' }];
    });
    await visitor.enter(desk.everything, '/organization/relays');
    await page.getByText(`Pool of payments (${POOL})`).first().waitFor();
    await visitor.open(`/organization/relays/${relayRequestId}`);
    await page.getByText('It may have landed. Do not send another.').waitFor();
    await page.getByText(`Pool of payments (${POOL})`).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await change(foundation, relayRequestId, { to: 'reconciling' });
    await page.getByText('in doubt', { exact: true }).first().waitFor();
    await page.getByText('It may have landed. Do not send another.').waitFor();
    await change(foundation, relayRequestId, { to: 'rejected', reason: 'nullifiers_spent' });
    await page.getByText('It may have landed. Do not send another.').waitFor({ state: 'detached' });
  });

  it('verifies the receipt of a relay in the portal, and downloads it to verify it elsewhere', async () => {
    const { foundation } = story.app.application;
    await using proofs = openProofs();
    await using relays = await openRelayDesk(foundation, proofs);
    const hints = { applicationIdHints: [story.app.organization.application.checkApplicationId] };
    const { relayRequestId: id } = await submitRelay(relays, '192.0.2.1', freshPackage(hints));
    await change(foundation, id, ...TO_SUBMITTED, { to: 'rejected', reason: 'nullifiers_spent' });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, `/organization/relays/${id}`);
    await page.getByRole('button', { name: 'Receipt: Checked here' }).waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the receipt' }).click();
    const buffer = await readFile(await (await saving).path());
    await visitor.open('/verify');
    const file = { name: 'relay-receipt.json', mimeType: 'application/json', buffer };
    await page.locator('.drop input').setInputFiles(file);
    await page.getByRole('button', { name: 'File: Checked here' }).waitFor();
    await page.getByText('This is the receipt of a relay.').waitFor();

    await visitor.betray((operation, data) => {
      if (operation !== 'RelayHistory') return;
      within(data, 'relayHistory', 'receipts', '0', 'body')['status'] = 'succeeded';
      // One attempt is proven dead, and another is open, of which nothing is proven.
      const attempt = { transactionHash: randomAddress(), lastValidBlockHeight: 1_150, outcome: null };
      const dead = { outcome: 'dead', evidence: { lastValidBlockHeight: 1_150, finalizedAtSlot: 1_200 } };
      within(data, 'relayHistory')['attempts'] = [
        { ...attempt, number: 1, ...dead },
        { ...attempt, number: 2, evidence: null },
      ];
    });
    await visitor.open(`/organization/relays/${id}`);
    await page.getByRole('button', { name: 'Receipt: Does not hold' }).waitFor();
    const rows = page.getByRole('row');
    await rows.filter({ hasText: /^1.*proven dead/ }).waitFor();
    await page.getByText('Why attempt 1 can never land').click();
    await page.getByText('up to block height 1,150. Finalized state at slot 1,200').waitFor();
    expect(await page.getByText(/^Why attempt/).count()).toBe(1);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('warns about a relay after five minutes in doubt', async () => {
    const { foundation } = story.app.application;
    await using proofs = openProofs();
    await using relays = await openRelayDesk(foundation, proofs);
    const hints = { applicationIdHints: [story.app.organization.application.checkApplicationId] };
    const { relayRequestId: id } = await submitRelay(relays, '192.0.2.1', freshPackage(hints));
    await change(foundation, id, ...TO_SUBMITTED, { to: 'reconciling' });
    const visitor = await story.visit();
    const { page } = visitor;
    const doubts = page.getByRole('heading', { name: 'Relays in doubt' });
    // The page gets the times a minute ago, and six minutes ago.
    let minutes = 1;
    const response = page.waitForResponse(
      (answer) => answer.request().postData()?.includes('reconciling') === true,
    );
    await visitor.betray((operation, data) => {
      if (operation !== 'Relays') return;
      for (const relay of within(data, 'relays', 'nodes') as unknown as { updatedAt: string }[])
        relay.updatedAt = new Date(Date.now() - minutes * 60_000).toISOString();
    });
    await visitor.enter(desk.everything);
    await response;
    await page.getByRole('heading', { name: 'The activity log' }).waitFor();
    expect(await doubts.count()).toBe(0);
    minutes = 6;
    await page.reload();
    await doubts.waitFor();
    await page.getByText('It may have landed. Do not send another.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await change(foundation, id, { to: 'rejected', reason: 'nullifiers_spent' });
  });

  it('shows pending work: an expiring key, a relay that can be retried, a report in progress', async () => {
    const { foundation } = story.app.application;
    const { organization, application } = story.app.organization;
    await createApiKey(foundation, desk.everything.principal, {
      name: 'Nightly import',
      scopes: ['assets:read'],
      expiresAt: new Date(Date.now() + 5 * DAY_MS),
    });
    await using proofs = openProofs();
    await using relays = await openRelayDesk(foundation, proofs);
    const submit = async () => {
      const hints = { applicationIdHints: [application.checkApplicationId] };
      return (await submitRelay(relays, '192.0.2.1', freshPackage(hints))).relayRequestId;
    };
    await change(foundation, await submit(), ...TO_FAILED);
    const generation = {
      ...{ id: newId('rpt'), organizationId: organization.id, applicationId: null, caseId: null },
      ...{ reportType: 'activity_log' as const, requestedBy: desk.everything.principal.userId },
      requestedAt: foundation.clock.now(),
    };
    await insertGeneration(foundation.database, generation, 'lease-1', () => Promise.resolve());

    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything);
    await page
      .getByRole('list', { name: 'API keys that end within 14 days' })
      .getByText('Nightly import')
      .waitFor();
    await page.getByRole('heading', { name: 'Relays that may be tried again' }).waitFor();
    const report = page.getByRole('status').filter({ hasText: 'Activity log' });
    await report.getByText('The report is being created').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    // Reloading the page loses nothing.
    await visitor.open('/organization/reports');
    await report.getByText('The report is being created').waitFor();
    await failGeneration(foundation, generation.id, 'lease-1', 'The disk is full.');
    await report.getByText('The report failed. The disk is full.').waitFor();

    // A user who left the page sees the end, and can dismiss the notice.
    const other = { ...generation, id: newId('rpt') };
    await insertGeneration(foundation.database, other, 'lease-2', () => Promise.resolve());
    await visitor.open('/organization/reports');
    await report.getByText('The report is being created').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Relays' }).click();
    await page.getByRole('heading', { level: 1, name: 'Relays' }).waitFor();
    expect(await report.count()).toBe(0);
    await failGeneration(foundation, other.id, 'lease-2', 'The disk is full again.');
    await report.getByText('The report failed. The disk is full again.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    expect(await report.getByRole('link', { name: 'Go to the reports' }).getAttribute('href')).toBe(
      '/portal/organization/reports',
    );
    await report.getByRole('button', { name: 'Dismiss: Activity log' }).click();
    await report.waitFor({ state: 'detached' });

    // The list of relays updates itself.
    await visitor.open('/organization/relays');
    const list = page.getByRole('list', { name: 'Relays, newest first' });
    await list.getByText('It may be tried again.').waitFor();
    const id = await submit();
    const added = list.getByRole('listitem').filter({ hasText: id.slice(-8) });
    await added.getByText('accepted').waitFor();
    await change(foundation, id, { to: 'rejected', reason: 'kyt_rejected' });
    await added.getByText('rejected').waitFor();
    // With two applications, those that one of them named.
    await page.getByLabel('Application').selectOption({ label: 'Payroll' });
    await page.getByText('There is no relay here.').waitFor();
    await page.getByLabel('Application').selectOption({ value: application.foreignId });
    await added.waitFor();
    await page.getByLabel('Status').selectOption({ label: 'rejected' });
    expect(await visitor.accessibilityProblems()).toEqual([]);
    // After viewing one, the user returns to the same choice.
    await added.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Relay' }).waitFor();
    await page.goBack();
    await added.waitFor();
    expect(await page.getByLabel('Application').inputValue()).toBe(application.foreignId);
    expect(await page.getByLabel('Status').inputValue()).toBe('rejected');
  });
});
