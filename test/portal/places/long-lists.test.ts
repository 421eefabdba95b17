import { beforeAll, expect, it } from '@jest/globals';
import { createCaseRequest } from '../../../src/domain/cases/index.js';
import { createApiKey } from '../../../src/domain/organizations/index.js';
import { auditorCiphertexts, seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { portalStories, within, type Answered, type Visitor } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

portalStories('lists of several pages', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  /** Like in a large organization: each page of the gateway has one entry. */
  const inPagesOfOne = ({ context }: Visitor) =>
    context.route('**/graphql', async (route) => {
      const postData = route.request().postData() ?? '';
      await route.fallback({ postData: postData.replaceAll(/first: \d+/g, 'first: 1') });
    });

  it('are read completely for pending work, so that new items hide no urgent ones', async () => {
    const { foundation } = story.app.application;
    const { everything, asset } = desk;
    const soon = { foreignId: 'payments', accessDays: 1, auditorIds: [everything.principal.userId] };
    const today = new Date().toISOString().slice(0, 10);
    const disclosureFlags = { fullTxIds: false, senderInformation: false, withdrawalDetails: false };
    const period = { periodFrom: today, periodTo: today, disclosureFlags };
    const asked = { ...soon, ...period };
    const own = await createCaseRequest(foundation, everything.principal, { ...asked, reason: 'My own' });
    await desk.ask('Of somebody else');
    const ending = await createCaseRequest(foundation, everything.principal, {
      ...asked,
      reason: 'Ends soon',
    });
    await desk.approve(ending.id);
    await desk.openCase('Lasts');
    const key = { scopes: ['assets:read'], expiresAt: new Date(Date.now() + 5 * DAY_MS) };
    await createApiKey(foundation, everything.principal, { ...key, name: 'Nightly import' });
    await createApiKey(foundation, everything.principal, { ...key, name: 'Lasting', expiresAt: null });
    await seedAsset(foundation, story.app.organization.organization.id);

    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.betray((operation, data) => {
      if (operation !== 'Assets') return;
      for (const one of within(data, 'assets', 'nodes') as unknown as Answered[])
        if (one['id'] === asset.id) Object.assign(within(one, 'indexerStatus'), { status: 'error' });
    });
    await inPagesOfOne(visitor);
    await visitor.enter(everything);
    const waiting = (name: RegExp | string) => page.getByRole('list', { name });
    await waiting(/^Cases that end within 48 hours/)
      .getByText('Ends soon')
      .waitFor();
    await page.getByText('2 open cases').waitFor();
    const heading = page.getByRole('heading', { name: /^Your pending requests/ });
    const pending = page.locator('section', { has: heading });
    await pending.locator(`a[href$="${own.id}"]`).waitFor();
    await waiting('API keys that end within 14 days').getByText('Nightly import').waitFor();
    await waiting('Assets that are not followed').getByRole('link').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('are read completely to find the mints with an earlier key', async () => {
    await seedAsset(story.app.application.foundation, story.app.organization.organization.id);
    const visitor = await story.visit();
    await visitor.betray((operation, data) => {
      if (operation !== 'Assets') return;
      for (const one of within(data, 'assets', 'nodes') as unknown as Answered[])
        if (one['id'] === desk.asset.id)
          one['mintAuditorKey'] = { auditorElGamalPubkey: 'an earlier one', epoch: 1, reason: null };
    });
    await inPagesOfOne(visitor);
    await visitor.enter(desk.everything, '/organization/assets');
    await visitor.page.getByText(/^An earlier key is still on the mint of /).waitFor();
  });

  it('are read completely to offer every filter of disclosures', async () => {
    const { foundation } = story.app.application;
    const asset = await seedAsset(foundation, story.app.organization.organization.id, {
      applicationId: story.app.organization.application.id,
    });
    const [record] = await seedRecords(foundation, asset, [
      {
        blockTime: Math.floor(Date.now() / 1_000) - 60,
        ciphertexts: auditorCiphertexts(asset.auditorPublicKey, 7n),
      },
    ]);
    await desk.askDisclosure('Of the first asset');
    const scope = { transactionIds: [record!.id], fields: ['amount'] };
    await desk.askDisclosure('Of the second asset', { assetId: asset.id, scope });
    const visitor = await story.visit();
    await inPagesOfOne(visitor);
    await visitor.enter(desk.everything, '/disclosures');
    const choice = visitor.page.getByLabel('Asset', { exact: true });
    await choice.waitFor();
    expect(await choice.getByRole('option').count()).toBe(3);
  });
});
