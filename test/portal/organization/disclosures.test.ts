import { beforeAll, expect, it } from '@jest/globals';
import { generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { auditorCiphertexts, randomAddress, seedRecords } from '../../kit/ledger/confidential-records.js';
import { portalStories, problemsInEveryLook, until, within } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('deciding on a disclosure in the portal', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  it('shows pending disclosures, and that none is decided yet', async () => {
    await desk.askDisclosure('Waits for a person');
    const { page, ...visitor } = await story.visit();
    await visitor.enter(desk.everything, '/disclosures');
    const waiting = page.getByRole('listitem').filter({ hasText: 'Waits for a person' });
    await waiting.getByRole('link', { name: 'Waits for a person' }).waitFor();
    await waiting.getByText(/^waits for .* min · .* UTC$/).waitFor();
    await page.getByRole('link', { name: 'Decided', exact: true }).click();
    await page.getByText('No disclosure has been decided yet.').waitFor();
    expect(await page.getByRole('link', { name: 'Waits for a person' }).count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('shows what would be disclosed before the decision, and then the result', async () => {
    const id = await desk.askDisclosure('Proof for the auditor');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, `/disclosures/${id}`);
    await page.getByRole('button', { name: 'Authorize…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('The result is created immediately and cannot be withdrawn.').waitFor();
    await dialog.getByText('2 records').waitFor();
    // The recipient, the contents and the form.
    const yesterday = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(
      Date.now() - 86_400_000,
    );
    expect(await dialog.getByRole('definition').allTextContents()).toEqual([
      'Backend ',
      '2 records of Private Dollar',
      yesterday,
      'Transfer: 2',
      '4 different accounts',
      'amount',
      'JSON',
    ]);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByRole('button', { name: 'Disclose the values' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Result' }).getByRole('cell', { name: '0.070000' }).waitFor();
    expect(await page.getByRole('button', { name: 'Authorize…' }).count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('shows of forty ids which records they are, with one request for all that are shown', async () => {
    const { foundation } = story.app.application;
    const source = randomAddress();
    const records = await seedRecords(
      foundation,
      desk.asset,
      Array.from({ length: 60 }, (_, index) => ({
        type: index === 0 ? ('confidential_deposit' as const) : ('confidential_transfer' as const),
        blockTime: Date.UTC(2026, 0, 5 + index, 12) / 1_000,
        sourceAccount: source,
        ciphertexts: auditorCiphertexts(desk.asset.auditorPublicKey, 4_711n),
      })),
    );
    const id = await desk.askDisclosure('Sixty of them', {
      scope: { transactionIds: records.map((record) => record.id), fields: ['amount'] },
    });
    const visitor = await story.visit();
    const { page } = visitor;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await visitor.enter(desk.everything, `/disclosures/${id}`);
    await page.getByText('5 Jan 2026 to 5 Mar 2026').waitFor();
    await page.getByText('Deposit: 1, Transfer: 59').waitFor();
    await page.getByText('61 different accounts').waitFor();
    const table = page.getByRole('table', { name: 'The records by their ids' });
    const first = table.getByRole('row').nth(1);
    await first.getByText('Deposit').waitFor();
    await first.getByText('5 Jan 2026, 12:00 UTC').waitFor();
    await first.getByText(source).waitFor({ state: 'attached' });
    await first.getByText(records[0]!.signature).waitFor({ state: 'attached' });
    expect(await table.getByRole('row').count()).toBe(51);
    // No amount is shown before the decision.
    expect(await page.getByText('0.004711').count()).toBe(0);
    expect(asked.filter((text) => text.includes('query ChosenRecords'))).toHaveLength(1);
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    await page.getByRole('button', { name: 'Show more' }).click();
    await table.getByRole('row').nth(60).getByText('5 Mar 2026, 12:00 UTC').waitFor();
    expect(asked.filter((text) => text.includes('query ChosenRecords'))).toHaveLength(2);
    await page.getByRole('link', { name: 'All transactions of Private Dollar' }).click();
    await page.getByRole('heading', { level: 1, name: 'Private Dollar (PUSD)' }).waitFor();
  });

  it('shows in numbers what ids select to a decider who may not list transactions, and says so', async () => {
    const id = await desk.askDisclosure('For an administrator');
    const visitor = await story.visit();
    const { page } = visitor;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await visitor.enter(desk.administrator, `/disclosures/${id}`);
    await page.getByText('4 different accounts').waitFor();
    await page.getByText('need the owner permission applications:read').waitFor();
    await page.getByText('2 ids').click();
    await page.getByText(/^txn_/).first().waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(asked.filter((text) => text.includes('ChosenRecords'))).toEqual([]);
    expect(await problemsInEveryLook(visitor)).toEqual([]);
  });

  it('shows the type of each record, and distinguishes an undecryptable value from an absent one', async () => {
    const { foundation } = story.app.application;
    const blockTime = Math.floor(Date.now() / 1_000) - 86_400;
    const { auditorPublicKey } = desk.asset;
    const { publicKey } = generateElGamalKeypair();
    const records = await seedRecords(foundation, desk.asset, [
      {
        type: 'confidential_transfer_with_fee',
        blockTime,
        ciphertexts: auditorCiphertexts(auditorPublicKey, 42n),
      },
      // Encrypted to a key that the organization does not have.
      { blockTime, ciphertexts: auditorCiphertexts(publicKey, 5n) },
      { type: 'confidential_withdraw', blockTime, publicData: { amount: '400', authority: randomAddress() } },
    ]);
    const transactionIds = records.map(({ id }) => id);
    const id = await desk.askDisclosure('With fees', {
      scope: { transactionIds, fields: ['amount', 'fee'] },
      externalReference: 'ticket-4711',
    });
    await desk.asOwner(
      'mutation ($input: DecideDisclosureInput!) { decideDisclosure(input: $input) { id } }',
      {
        input: {
          ...{ id, decision: 'authorize' },
        },
      },
    );
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, `/disclosures/${id}`);
    await page.getByText('ticket-4711').waitFor();
    const row = (what: string) =>
      page.getByRole('table', { name: 'Result' }).getByRole('row').filter({ hasText: what });
    await row('Transfer with fee').getByRole('cell', { name: '0.000042' }).waitFor();
    await row('Transfer with fee').getByRole('cell', { name: 'Not encrypted to your keys' }).waitFor();
    await row('Transfer with fee').getByRole('button', { name: 'Amount: Checked here' }).waitFor();
    const unopened = row('No key opens it');
    await unopened.getByRole('button', { name: 'Amount: Not checkable' }).click();
    await page.getByText('No key of the organization opens this amount').waitFor();
    await page.keyboard.press('Escape');
    const withdrawal = row('Withdrawal');
    await withdrawal.getByRole('cell', { name: '0.000400' }).waitFor();
    await withdrawal.getByRole('button', { name: 'Amount: Public' }).click();
    await page.getByText('whose amount is public on the ledger').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copy the id of the receipt' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('renders only the visible rows of a long result, each with its verification mark', async () => {
    const { foundation } = story.app.application;
    const blockTime = Math.floor(Date.now() / 1_000) - 86_400;
    const records = await seedRecords(
      foundation,
      desk.asset,
      Array.from({ length: 120 }, (_, index) => ({
        blockTime,
        ciphertexts: auditorCiphertexts(desk.asset.auditorPublicKey, BigInt(index)),
      })),
    );
    const id = await desk.askDisclosure('A long one', {
      scope: { transactionIds: records.map((record) => record.id), fields: ['amount'] },
    });
    await desk.asOwner(
      'mutation ($input: DecideDisclosureInput!) { decideDisclosure(input: $input) { id } }',
      {
        input: {
          ...{ id, decision: 'authorize' },
        },
      },
    );
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, `/disclosures/${id}`);
    const grid = page.getByRole('grid', { name: 'Result' });
    await grid.getByRole('button', { name: 'Amount: Checked here' }).first().waitFor();
    expect(await grid.getAttribute('aria-rowcount')).toBe('121');
    expect(await grid.getByRole('row').count()).toBeLessThanOrEqual(41);
    // One tab stop.
    expect(await grid.locator('[tabindex="0"]').count()).toBe(1);
    await grid.getByRole('button', { name: 'Amount: Checked here' }).first().click();
    await page.getByRole('dialog').getByRole('heading', { name: 'What was checked' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('happens once: the page offers no decision while the result is being created, and says so', async () => {
    const id = await desk.askDisclosure('Under way');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.betray((operation, data) => {
      if (operation === 'Disclosure') Object.assign(within(data, 'disclosure'), { decision: 'authorize' });
    });
    await visitor.enter(desk.everything, `/disclosures/${id}`);
    await page.getByText('authorized, being created').waitFor();
    await page.getByText('The result is being created, and appears here.').waitFor();
    expect(await page.getByRole('button', { name: 'Authorize…' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Reject…' }).count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('rejects with a reason, which the page then shows with the requested period', async () => {
    const id = await desk.askDisclosure('Everything of one account', {
      scope: { account: randomAddress(), from: '2026-01-05T00:00:00.000Z', fields: ['amount'] },
    });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, `/disclosures/${id}`);
    await page.getByText('from 5 Jan 2026, 00:00:00 UTC').waitFor();
    await page.getByRole('button', { name: 'Reject…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Nothing is disclosed. The requester sees your reason.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByLabel('Reason').fill('The account is not of a customer');
    await dialog.getByRole('button', { name: 'Reject the disclosure' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('The account is not of a customer').waitFor();
    await page.getByText('rejected', { exact: true }).waitFor();
    // The button that opened the dialog no longer exists, so the result has the focus.
    await until(page, 'document.activeElement.textContent === "rejected"');
  });

  it('reports that another person decided meanwhile, and discloses nothing', async () => {
    const id = await desk.askDisclosure('Decided by another');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, `/disclosures/${id}`);
    await page.getByRole('button', { name: 'Authorize…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('2 records').waitFor();
    await desk.asOwner(
      'mutation ($input: DecideDisclosureInput!) { decideDisclosure(input: $input) { id } }',
      {
        input: {
          ...{ id, decision: 'reject', reason: 'The purpose is too wide' },
        },
      },
    );
    await dialog.getByRole('button', { name: 'Disclose the values' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/already|meanwhile|decided/)
      .waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByText('The purpose is too wide').waitFor();
    await page.getByText('Olga Owner').first().waitFor();
    expect(await page.getByRole('button', { name: 'Authorize…' }).count()).toBe(0);
  });

  it('applies the policy that an asset was registered with, and names it', async () => {
    const CREATE =
      'mutation ($input: CreateDisclosurePolicyInput!) { createDisclosurePolicy(input: $input) { id } }';
    const bounds = {
      allowedFields: ['amount'],
      allowedFormats: ['json'],
      inside: 'review',
      outside: 'reject',
    };
    await desk.asOwner(CREATE, { input: { name: 'Ask a person', key: 'ask', ...bounds } });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/assets');
    await page.getByRole('button', { name: 'Register an asset…' }).click();
    await page.getByLabel('Name').fill('Treasury Dollar');
    await page.getByLabel('Symbol').fill('TUSD');
    await page.getByLabel('Disclosure policy').selectOption({ label: 'Ask a person (ask)' });
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Register the asset' }).click();
    await page.getByRole('heading', { level: 1, name: 'Treasury Dollar (TUSD)' }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'Ask a person ask' }).waitFor();
    const assetId = new URL(page.url()).pathname.split('/').at(-1)!;
    await desk.asOwner('mutation ($input: AssignAssetInput!) { assignAsset(input: $input) { id } }', {
      input: {
        ...{ assetId, foreignId: 'payments' },
      },
    });

    const scope = { account: randomAddress(), fields: ['amount'] };
    const left = await desk.askDisclosure('Within the bounds', { assetId, scope });
    await visitor.open(`/disclosures/${left}`);
    await page.getByText('left it to a person').waitFor();
    await page.getByRole('button', { name: 'Authorize…' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    const decided = await desk.askDisclosure('Beyond the bounds', { assetId, scope, format: 'csv' });
    await visitor.open(`/disclosures/${decided}`);
    await page.getByText('Ask a person').waitFor();
    await page.getByText('decided it').waitFor();
    await page.getByText('rejected', { exact: true }).waitFor();
    // The log does not say that who asked has decided.
    await story.logged();
    await visitor.open('/organization/log');
    await page.getByText('requested a disclosure, which the policy “ask” rejected').waitFor();

    // An administrator decides too, and may read neither the asset nor the policies.
    const other = await story.visit();
    await other.enter(desk.administrator, `/disclosures/${left}`);
    await other.page.getByRole('definition').filter({ hasText: 'Ask a person' }).waitFor();
    await other.page.getByText('left it to a person').waitFor();
    expect(await other.accessibilityProblems()).toEqual([]);
    await other.open(`/disclosures/${await desk.askDisclosure('Of an asset without a policy')}`);
    await other.page.getByText('none judged it').waitFor();
  });
});
