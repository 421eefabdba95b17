import { beforeAll, expect, it } from '@jest/globals';
import { approveAddress } from '../../../src/domain/checks/addresses/set-address-status.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { portalStories, type Answered } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('addresses in the portal', (story) => {
  let desk: Desk;
  const approved = randomAddress();
  beforeAll(async () => {
    desk = await openDesk(story.app);
    await approveAddress(story.app.application.foundation, desk.administrator.principal, {
      foreignId: 'payments',
      address: approved,
      network: 'solana',
      reason: 'A customer',
    });
  });

  it('of an application are reached by an owner who has no permission in the application itself', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(story.app.organization.owner, '/organization/applications');
    await page.getByRole('link', { name: 'Listed addresses' }).click();
    await page.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
    await page.getByText('A customer').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('are tried as a backend would, and the recorded check is hashed in the browser', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, '/a/payments/addresses');
    await page.getByLabel('Address to check').fill(approved);
    await page.getByRole('button', { name: 'Check the address' }).click();
    await page.getByText('It is approved, and no screening step objects.').waitFor();
    // The answer contains its own hash, which proves nothing.
    const mark = page.getByRole('button', { name: 'Recorded check: Not checkable' });
    await mark.waitFor();
    // The result has the focus. After loading, the heading has it.
    const FOCUSED = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.tagName';
    expect(await page.evaluate(FOCUSED)).toBe('Recorded check');
    await mark.click();
    await page.getByText(/The decider and the id are not part of the hash/).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The id is in the URL: after loading, the check is shown again by its id alone.
    const id = new URL(page.url()).searchParams.get('check')!;
    expect(id).toMatch(/^chk_/);
    await page.reload();
    await page.getByText('the addresses listed here', { exact: true }).waitFor();
    expect(await page.evaluate(FOCUSED)).toBe('H1');

    await page.getByLabel('Address to check').fill(randomAddress());
    await page.getByRole('button', { name: 'Check the address' }).click();
    await page.getByText('It is not listed, and addresses that are not listed are not approved.').waitFor();
    await page.getByLabel('Address to check').fill('not an address');
    await page.getByRole('button', { name: 'Check the address' }).click();
    await page.getByText(/must be/).waitFor();
    await page.getByText('Recorded checks, newest first').click();
    const recorded = page.getByRole('list', { name: 'Recorded checks, newest first' });
    await recorded.getByText('not approved', { exact: true }).waitFor();
    expect(await recorded.getByRole('listitem').count()).toBe(2);
    await page.getByLabel('Only checks of this address').fill(approved);
    await page.getByRole('button', { name: 'Show its checks' }).click();
    await recorded.getByText('not approved', { exact: true }).waitFor({ state: 'detached' });
    expect(await recorded.getByRole('listitem').count()).toBe(1);
    expect(page.url()).not.toContain(approved);
    expect(await visitor.accessibilityProblems()).toEqual([]);

    await visitor.betray((operation, data) => {
      if (operation === 'AddressCheck') (data['addressCheck'] as Answered)['approved'] = true;
    });
    await page.reload();
    await page.getByRole('button', { name: 'Recorded check: Does not hold' }).waitFor();
  });

  it('can be searched by prefix and by list status', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, '/a/payments/addresses');
    const list = page.getByRole('list', { name: 'Listed addresses' });
    await list.getByText(approved).waitFor({ state: 'attached' });
    await page.getByLabel('Address begins with').fill(`${approved.slice(0, 8)}zzzz`);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No listed address matches.').waitFor();
    await page.getByLabel('Address begins with').fill(approved.slice(0, 8));
    await page.getByRole('button', { name: 'Find' }).click();
    await list.getByText(approved).waitFor({ state: 'attached' });
    await page.getByLabel('Listed as').selectOption('revoked');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No listed address matches.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('cannot be changed by a reader without permission', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, '/a/payments/addresses');
    await page.getByRole('heading', { level: 2, name: 'No permission' }).first().waitFor();
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /^(Approve|Check|Change)/ })
        .count(),
    ).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('follow the default if they are not listed, which changes with a reason', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, '/a/payments/addresses');
    await page.getByRole('button', { name: 'Change this…' }).click();
    await page.getByText('every address that is not listed is approved, unless screening objects').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByLabel('Reason').fill('Every customer is screened');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Approve addresses that are not listed' })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Address to check').fill(randomAddress());
    await page.getByRole('button', { name: 'Check the address' }).click();
    await page.getByText('It is approved, and no screening step objects.').waitFor();
    await page.getByText('the default for addresses that are not listed').waitFor();
  });
});
