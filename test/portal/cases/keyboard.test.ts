import { beforeAll, expect, it } from '@jest/globals';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { portalStories, until, type Visitor } from '../../kit/browser/portal.js';
import { SEED_PASSWORD, type SeededUser } from '../../kit/seed.js';
import { keysOf, openDesk, tabTo, type Desk } from '../kit.js';

portalStories('the portal with the keyboard only', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  async function signIn(visitor: Visitor, user: SeededUser) {
    const { page } = visitor;
    await visitor.open('/sign-in');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const keys = keysOf(page);
    await keys.type(/E-mail address/, user.email);
    await keys.type(/^Password/, SEED_PASSWORD);
    await page.keyboard.press('Enter');
    await keys.arrive('To do');
    return keys;
  }

  it('lets an administrator approve a request, close another, and approve an address', async () => {
    await desk.ask('Open this case');
    await desk.ask('Close this request');
    const visitor = await story.visit();
    const { page } = visitor;
    const { keyboard } = page;
    const keys = await signIn(visitor, desk.administrator);
    await page.getByRole('link', { name: 'Open this case' }).waitFor();
    await keys.press(/Open this case/);
    await keys.arrive('Open this case');
    await page.getByRole('button', { name: 'Approve…' }).waitFor();
    await keys.press(/^Approve…$/);
    const dialog = page.getByRole('alertdialog');
    // The key that opened the dialog must not decide anything, so the focus is on Cancel.
    await until(page, 'document.activeElement.textContent === "Cancel"');
    await keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await until(page, 'document.activeElement.textContent === "Approve…"');
    await keyboard.press('Enter');
    await keys.press(/^Open the case for 1 auditor$/);

    // The next request has the focus without a key press.
    await keys.arrive('Close this request');
    await page.getByRole('button', { name: 'Close…' }).waitFor();
    await keys.press(/^Close…$/);
    await dialog.waitFor();
    await keys.type(/^Reason/, 'Asked twice');
    await keys.press(/^Close the request$/);
    await keys.arrive('Case requests');
    await page.getByText('No request is pending.').waitFor();

    await keys.go(/^Addresses$/, 'Addresses');
    await page.getByRole('button', { name: 'Approve an address…' }).waitFor();
    await keys.press(/^Approve an address…$/);
    const address = randomAddress();
    await page.getByRole('dialog').waitFor();
    await keys.type(/^Address/, address);
    await keys.type(/^Reason/, 'A customer');
    await keys.press(/^Approve the address$/);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page
      .getByRole('list', { name: 'Listed addresses' })
      .getByText(address)
      .waitFor({ state: 'attached' });
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('moves the focus to the next row if its row is removed', async () => {
    for (let other = 0; other < 2; other += 1) await (await story.visit()).signIn(desk.administrator);
    const visitor = await story.visit();
    const { page } = visitor;
    const keys = keysOf(page);
    await visitor.enter(desk.administrator, '/account');
    const ends = page.getByRole('button', { name: /^End it… / });
    await ends.first().waitFor();
    const count = await ends.count();
    await keys.press(/^End it… /);
    // Nothing is done by this key alone, nor by the same one again: it cancels.
    await page.getByRole('alertdialog').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(await ends.count()).toBe(count);
    const end = async (left: number) => {
      await keys.press(/^End it… /);
      await page.getByRole('alertdialog').waitFor();
      await keys.press(/^End the session$/);
      await until(
        page,
        `[...document.querySelectorAll('button')].filter((one) => one.textContent === 'End it…').length === ${left}`,
      );
    };
    await end(count - 1);
    await until(page, `document.activeElement.matches('li')`);
    await page.keyboard.press('Enter');
    expect(await ends.count()).toBe(count - 1);
    await end(count - 2);
    await until(page, `document.activeElement !== document.body`);
  });

  it('lets an owner create an application, register an asset, invite a person, and create an API key', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    const { keyboard } = page;
    const keys = await signIn(visitor, desk.everything);
    await keys.go(/^Applications$/, 'Applications');
    await keys.press(/^Create an application…$/);
    await page.getByRole('dialog').waitFor();
    await keys.type(/^Name/, 'Payroll');
    await keys.type(/^Short name/, 'payroll');
    await keyboard.press('Enter');
    await page.getByRole('cell', { name: 'payroll', exact: true }).waitFor();

    await keys.go(/^Assets$/, 'Assets');
    await keys.press(/^Register an asset…$/);
    await keys.type(/^Name/, 'Payroll Euro');
    await keys.type(/^Symbol/, 'PEUR');
    await keys.press(/^Register the asset$/);
    await keys.arrive('Payroll Euro (PEUR)');

    await keys.go(/^People$/, 'People');
    await keys.press(/^Invite a person…$/);
    await keys.type(/^E-mail address/, 'pia@example.org');
    await keys.type(/^Name/, 'Pia Person');
    await keys.press(/^Create the invitation$/);
    await page.getByText('/invitation#').waitFor();
    await keys.press(/^I have/);
    await page.getByText('Pia Person').waitFor();

    await keys.go(/^API keys$/, 'API keys');
    await keys.press(/^Create a key…$/);
    const dialog = page.getByRole('alertdialog');
    await dialog.waitFor();
    await keys.type(/^Name/, 'Backend of payroll');
    // An irreversible action needs its button, and never runs on Enter in a field.
    await keyboard.press('Enter');
    await tabTo(page, /assets:read/);
    await keyboard.press('Space');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'This creates an API key.' }).waitFor();
    await keys.press(/^Create the key$/);
    await page.getByText('Store the secret now').waitFor();
    await keyboard.press('Escape');
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await keys.press(/^I have stored it$/);
    await page.getByText('Backend of payroll').waitFor();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  });
});
