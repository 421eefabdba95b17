import { expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { portalStories } from '../../kit/browser/portal.js';
import { SEED_PASSWORD } from '../../kit/seed.js';
import { withAuthenticator } from '../kit.js';

portalStories('signing in with more than a password', (story) => {
  // Browsers create passkeys for host names, not for addresses.
  const onLocalhost = () => ({ baseURL: story.app.url.replace('127.0.0.1', 'localhost') });

  it('invites a person, who accepts with a passkey, and signs out and in with it', async () => {
    const owner = await story.visit(onLocalhost());
    await owner.signIn(story.app.organization.owner);
    await owner.open('/organization/people');
    await owner.page.getByRole('button', { name: 'Invite a person…' }).click();
    expect(await owner.accessibilityProblems()).toEqual([]);
    await owner.page.getByLabel('E-mail address').fill('ida.invited@example.test');
    await owner.page.getByLabel('Name', { exact: true }).fill('Ida Invited');
    await owner.page.getByRole('button', { name: 'Create the invitation' }).click();
    const link = await owner.page.getByLabel('Link to hand over').innerText();
    expect(await owner.accessibilityProblems()).toEqual([]);
    expect(link).toContain('/portal/invitation#');

    const person = await story.visit(onLocalhost());
    await withAuthenticator(person.page);
    // It leads to the name for which the browser makes passkeys, also if the owner is at the address.
    await person.page.goto(link);
    await person.page.getByRole('heading', { level: 1, name: 'Your invitation' }).waitFor();
    expect(person.page.url()).not.toContain('#');
    expect(await person.accessibilityProblems()).toEqual([]);
    await person.page.getByRole('button', { name: 'Create a passkey on this device' }).click();
    await person.page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
    await person.page.getByRole('button', { name: 'Sign out' }).first().click();
    await person.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await person.page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
  });

  it('says before a passkey is added that the address of the page has none', async () => {
    for (const [baseURL, count] of [
      [story.app.url, 1],
      [onLocalhost().baseURL, 0],
    ] as const) {
      const visitor = await story.visit({ baseURL });
      await visitor.signIn(story.app.organization.owner);
      await visitor.open('/account');
      await visitor.page.getByRole('button', { name: 'Add a passkey…' }).waitFor();
      const told = visitor.page.getByText('This browser does not offer passkeys at this address.');
      expect([baseURL, await told.count()]).toEqual([baseURL, count]);
    }
  });

  it('adds a passkey, stores recovery codes, and asks for the factor again if it must be fresh', async () => {
    const visitor = await story.visit(onLocalhost());
    const { page } = visitor;
    await withAuthenticator(page);
    await visitor.signIn(story.app.organization.owner);
    await visitor.open('/account');
    await page.getByText('They replace a second factor').waitFor();
    expect(await page.getByRole('button', { name: 'Create ten new codes' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Add a passkey…' }).click();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByLabel('Name of the passkey').fill('This laptop');
    await page.getByRole('dialog').getByLabel('Your password').fill(SEED_PASSWORD);
    await page.getByRole('button', { name: 'Add the passkey' }).click();
    await page.getByText('This laptop').waitFor();
    await page.getByRole('button', { name: 'Create ten new codes' }).click();
    const codes = page.getByRole('alertdialog').getByRole('listitem');
    await codes.first().waitFor();
    expect(await codes.count()).toBe(10);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('10 codes left.').waitFor();

    // Six minutes pass in the session: a change of how a person signs in needs the factor again.
    await story.app.database.transaction((transaction) =>
      transaction.rows(
        sql`update sessions set factor_at = factor_at - interval '6 minutes' where factor_at is not null`,
      ),
    );
    await page.getByRole('button', { name: 'Create ten new codes…' }).click();
    const replaces = page.getByRole('alertdialog', { name: 'This replaces your recovery codes.' });
    await replaces.getByText('10 codes that you have do not work anymore.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await replaces.getByRole('button', { name: 'Create ten new codes' }).click();
    await page.getByRole('heading', { name: 'Prove your second factor' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await codes.first().waitFor();
    await page.getByRole('button', { name: 'I have stored them' }).click();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
