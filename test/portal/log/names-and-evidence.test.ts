import { beforeAll, expect, it } from '@jest/globals';
import { removeMember } from '../../../src/domain/organizations/index.js';
import { submitRelay } from '../../../src/domain/relays/admission/submit-relay.js';
import { change, freshPackage, openDesk as openRelayDesk, openProofs } from '../../domain/relays/desk-kit.js';
import { graphql, sessionOf } from '../../kit/app.js';
import { auditorCiphertexts, seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { seedMember } from '../../kit/seed.js';
import { LOOKS, portalStories, type Visitor, within } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('names, ciphertexts and evidence in the portal', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  const holdsInEveryLook = async (visitor: Visitor) => {
    const { page } = visitor;
    for (const media of LOOKS) {
      await page.emulateMedia(media);
      expect([media, await visitor.accessibilityProblems()]).toEqual([media, []]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(
      await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
    ).toBe(false);
    await page.setViewportSize({ width: 1200, height: 800 });
  };

  it('describe the evidence of a relay in sentences, and mark nodes that contradict each other', async () => {
    const { foundation } = story.app.application;
    await using proofs = openProofs();
    await using relays = await openRelayDesk(foundation, proofs);
    const hints = { applicationIdHints: [story.app.organization.application.checkApplicationId] };
    const { relayRequestId: relay } = await submitRelay(relays, '192.0.2.1', freshPackage(hints));
    const evidence = {
      nullifiers: [
        { node: 'one#0', slot: 10, spent: [true] },
        { node: 'two#1', slot: 11, spent: [false] },
        { node: 'three#2', error: 'timeout' },
      ],
      leftOut: [{ node: 'two#1', lie: 'contradicted' }],
    };
    await change(foundation, relay, { to: 'rejected', reason: 'nullifiers_spent', evidence });
    const visitor = await story.visit({ reducedMotion: 'reduce' });
    const { page } = visitor;
    await visitor.enter(desk.everything, `/organization/relays/${relay}`);
    await page.getByText('Evidence', { exact: true }).click();
    await page.getByText('The nodes differ').waitFor();
    await page.getByText('The nullifier is spent as of slot 10.').waitFor();
    await page.getByText('The nullifier is not spent as of slot 11.').waitFor();
    await page.getByText('It did not answer in time.').waitFor();
    await page.getByText('A majority of the nodes contradicts it.').waitFor();
    await holdsInEveryLook(visitor);
  });

  it('show the ciphertexts of an asset, its amounts in plaintext, and one type of transactions', async () => {
    const visitor = await story.visit({ reducedMotion: 'reduce' });
    const { page } = visitor;
    await visitor.enter(desk.everything, `/organization/assets/${desk.asset.id}`);
    const table = page.getByRole('table', { name: 'Transactions on the ledger' });
    await table.getByRole('row').nth(3).waitFor();
    expect(await table.getByRole('button', { name: 'Copy the ciphertext of the low part' }).count()).toBe(2);
    await table.getByRole('cell', { name: '0.000400 PUSD' }).waitFor();
    await holdsInEveryLook(visitor);
    await page.getByLabel('Type', { exact: true }).selectOption({ label: 'Withdrawal' });
    await table
      .getByRole('button', { name: /^Copy the ciphertext/ })
      .first()
      .waitFor({ state: 'detached' });
    expect(await table.getByRole('row').count()).toBe(2);
    await page.waitForURL('**?type=confidential_withdraw');
    await page.reload();
    await table.getByRole('cell', { name: '0.000400 PUSD' }).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
  });

  it('list disclosures by asset', async () => {
    const { foundation } = story.app.application;
    const other = await seedAsset(foundation, story.app.organization.organization.id, {
      applicationId: story.app.organization.application.id,
    });
    const records = await seedRecords(foundation, other, [
      { ciphertexts: auditorCiphertexts(other.auditorPublicKey, 5n) },
    ]);
    await desk.askDisclosure('Of the desk');
    const scope = { transactionIds: records.map(({ id }) => id), fields: ['amount'] };
    await desk.askDisclosure('Of the other asset', { assetId: other.id, scope });
    const visitor = await story.visit({ reducedMotion: 'reduce' });
    const { page } = visitor;
    await visitor.enter(desk.everything, '/disclosures');
    await page.getByRole('link', { name: 'Of the desk' }).waitFor();
    await page.getByLabel('Asset').selectOption(other.id);
    await page.getByRole('link', { name: 'Of the desk' }).waitFor({ state: 'detached' });
    await holdsInEveryLook(visitor);
    await page.getByRole('link', { name: 'Of the other asset' }).click();
    // The list of the requested records.
    await page.getByRole('heading', { name: 'The records by their ids' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Decided' }).click();
    await page.waitForURL(`**/disclosures?asset=${other.id}&view=decided`);
    await page.getByText('No disclosure of this asset has been decided yet.').waitFor();
    await visitor.open(`/organization/assets/${other.id}`);
    await page.getByRole('link', { name: 'Disclosures of it' }).click();
    await page.getByRole('link', { name: 'Of the other asset' }).waitFor();
    expect(await page.getByRole('link', { name: 'Of the desk' }).count()).toBe(0);
  });

  it('name what log entries acted on, and link only pages that the reader can open', async () => {
    const { foundation } = story.app.application;
    const { id: organizationId } = story.app.organization.organization;
    const common = ['logs:view_activity'];
    const auditor = ['cases:create', 'reports:view_transactions'];
    const applications = [{ foreignId: 'payments', common, administrator: [], auditor }];
    const reader = await seedMember(foundation, organizationId, { owner: [], applications }, 'Rosa Reader');
    const removed = await seedMember(foundation, organizationId, {}, 'Rita Removed');
    const request = await desk.ask('Unusual payments');
    const caseId = await desk.openCase('Review of the year');
    await desk.askDisclosure('Named in the log');
    const { page, ...visitor } = await story.visit({ reducedMotion: 'reduce' });
    await visitor.signIn(desk.everything);
    await story.logged();
    await visitor.open('/organization/log');
    await page.getByRole('link', { name: 'the case' }).first().waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    // Sign-ins are folded until they are asked for.
    const signIns = page.getByText('Olga Owner signed in');
    expect(await signIns.count()).toBe(0);
    await page.getByLabel('Show sign-ins and sign-outs').check();
    await signIns.first().waitFor();
    await page.getByLabel('Show sign-ins and sign-outs').uncheck();
    await signIns.first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'the request' }).last().click();
    await page.waitForURL(`**/requests/${request}`);

    // The owner of the organization has no screen for cases: ids tell which of them somebody opened or read.
    const owner = await story.visit();
    await owner.enter(story.app.organization.owner, '/organization/log');
    await owner.page.getByRole('listitem').filter({ hasText: 'opened a case' }).first().waitFor();
    expect(await owner.page.getByRole('link', { name: /^the (case|request)$/ }).count()).toBe(0);
    const opened = owner.page.getByRole('listitem').filter({ hasText: 'opened a case' });
    await opened.getByText(caseId, { exact: true }).waitFor();
    const asked = owner.page.getByRole('listitem').filter({ hasText: 'requested a case' });
    await asked.getByText(request, { exact: true }).waitFor();
    await owner.page.getByRole('link', { name: 'the disclosure' }).first().waitFor();
    // An auditor cannot read every request and every case of an application.
    const auditing = await story.visit();
    await auditing.enter(reader, '/a/payments/log');
    await auditing.page.getByRole('listitem').filter({ hasText: 'opened a case' }).first().waitFor();
    expect(await auditing.page.getByRole('link', { name: /^the (case|request)$/ }).count()).toBe(0);
    // A removed member is shown by name, without a link.
    await removeMember(foundation, desk.everything.principal, removed.principal.userId);
    await visitor.enter(desk.everything, '/organization/log');
    const removal = page.getByRole('listitem').filter({ hasText: 'removed a member' });
    await removal.getByText('Rita Removed').first().waitFor();
    await page.getByRole('link', { name: 'Rosa Reader' }).first().waitFor();
    expect(await page.getByRole('link', { name: 'Rita Removed' }).count()).toBe(0);

    // The same in an organization with more members than are read at once.
    const many = await story.visit();
    await many.betray((operation, data) => {
      if (operation !== 'MemberNames') return;
      const members = within(data, 'members');
      members['nodes'] = [];
      members['pageInfo'] = { hasNextPage: true };
    });
    await many.enter(desk.everything, '/organization/log');
    await many.page.getByRole('link', { name: 'Rosa Reader' }).first().waitFor();
    const removals = many.page.getByRole('listitem').filter({ hasText: 'removed a member' });
    await removals.getByText('Rita Removed').first().waitFor();
    expect(await many.page.getByRole('link', { name: 'Rita Removed' }).count()).toBe(0);
  });

  it('show the case of a report, to its auditor and to an administrator', async () => {
    const caseId = await desk.openCase('Audit of the autumn');
    await graphql(
      story.app,
      'mutation ($input: GenerateCaseReportInput!) { generateCaseReport(input: $input) { id } }',
      {
        headers: sessionOf(story.app, desk.auditor.sessionToken),
        variables: {
          input: {
            foreignId: 'payments',
            caseId,
            reportType: 'transaction_summary',
            format: 'csv',
            wait: true,
          },
        },
      },
    );
    for (const reader of [desk.auditor, desk.administrator]) {
      const { page, ...visitor } = await story.visit();
      await visitor.enter(reader, '/a/payments/reports');
      await page.getByText('Case: Audit of the autumn').waitFor();
      const notHis = page.getByText('The auditors of its case may download it while the case is open.');
      expect(await notHis.count()).toBe(reader === desk.auditor ? 0 : 1);
      expect(await visitor.accessibilityProblems()).toEqual([]);
      await page.getByRole('link', { name: 'Audit of the autumn' }).click();
      await page.getByRole('heading', { level: 1, name: 'Audit of the autumn' }).waitFor();
    }
  });

  it('say in words what was proposed', async () => {
    await graphql(story.app, 'mutation { updateOrganization(input: { requireSecondPerson: true }) { id } }', {
      headers: sessionOf(story.app, desk.everything.sessionToken),
    });
    const visitor = await story.visit({ reducedMotion: 'reduce' });
    await visitor.enter(desk.everything, '/organization/settings');
    const proposed = visitor.page.getByRole('table', { name: 'What was proposed' });
    await proposed.getByRole('term').getByText('A second person decides').waitFor();
    await proposed.getByRole('definition').getByText('yes', { exact: true }).waitFor();
    await holdsInEveryLook(visitor);
  });
});
