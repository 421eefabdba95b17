import { beforeAll, expect, it } from '@jest/globals';
import {
  auditorCiphertexts,
  seedAsset,
  seedRecords,
  type SeededAsset,
} from '../../kit/ledger/confidential-records.js';
import { portalStories, problemsInEveryLook } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

const short = ({ mintAddress }: SeededAsset) => `${mintAddress.slice(0, 6)}…${mintAddress.slice(-6)}`;

portalStories('two assets of the same name', (story) => {
  let desk: Desk;
  let other: SeededAsset;
  let names: readonly string[];
  beforeAll(async () => {
    desk = await openDesk(story.app);
    const { application, organization } = story.app;
    const { foundation } = application;
    other = await seedAsset(foundation, organization.organization.id, {
      applicationId: organization.application.id,
    });
    await seedRecords(foundation, other, [
      {
        blockTime: Math.floor(Date.now() / 1_000) - 86_400 * 2,
        ciphertexts: auditorCiphertexts(other.auditorPublicKey, 5n),
      },
    ]);
    names = [desk.asset, other].map((asset) => `Private Dollar ${short(asset)}`);
  });

  it('are distinguished by their mints in a case: in its facts, filter, totals and charts', async () => {
    const id = await desk.openCase('Of two assets');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('4, all of them').waitFor();
    const [facts] = await page
      .getByRole('definition')
      .filter({ hasText: 'Private Dollar' })
      .allTextContents();
    for (const name of names) expect(facts).toContain(name);
    const options = await page.getByLabel('Asset').locator('option').allTextContents();
    expect(options.toSorted()).toEqual(['All assets', ...names].toSorted());
    await page.getByRole('button', { name: 'Totals', exact: true }).click();
    for (const name of names) {
      await page.getByRole('heading', { level: 3, name: `${name} (PUSD)` }).waitFor();
      await page.getByRole('table', { name: `Totals of the case: ${name} (PUSD)` }).waitFor();
    }
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    await page.getByRole('button', { name: 'Charts by day' }).click();
    for (const name of names)
      await page.getByLabel('Amounts of').selectOption({ label: `Transfer, ${name} (PUSD)` });
    await page.getByRole('figure', { name: `amounts by day (UTC), of ${names[1]} (PUSD)` }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('are distinguished by their mints in a new request, and among disclosures', async () => {
    await desk.askDisclosure('Of the first asset');
    await desk.askDisclosure('Of the second asset', {
      assetId: other.id,
      scope: { account: other.mintAddress, fields: ['amount'] },
    });
    const auditor = await story.visit();
    await auditor.enter(desk.auditor, '/a/payments/requests/new');
    for (const name of names) await auditor.page.getByLabel(`${name} (PUSD)`).waitFor();
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/disclosures');
    for (const name of names) await page.getByText(` · ${name} · `).waitFor();
    const options = await page.getByLabel('Asset').locator('option').allTextContents();
    expect(options.toSorted()).toEqual(['Every asset', ...names.map((name) => `${name} (PUSD)`)].toSorted());
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('link', { name: 'Of the second asset' }).click();
    await page.getByRole('definition').filter({ hasText: other.mintAddress }).first().waitFor();
  });
});
