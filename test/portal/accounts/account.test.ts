import { expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import type { Mail } from '../../../src/domain/organizations/index.js';
import { requestPasswordReset } from '../../../src/domain/organizations/invitations/reset-password.js';
import { sql } from '../../../src/platform/database/index.js';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { portalStories, until } from '../../kit/browser/portal.js';
import { SEED_PASSWORD, seedMember } from '../../kit/seed.js';
import { withAuthenticator } from '../kit.js';

const NEW_PASSWORD = 'a battery horse without staples';
const STEP_MS = 30_000;

/** The code of an authenticator with this secret, now or some steps of 30 seconds from now. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * STEP_MS });

portalStories('the user’s own account in the portal', (story) => {
  const member = (name: string, owner: readonly string[] = []) =>
    seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      { owner: [...owner], applications: [{ foreignId: 'payments', common: PERMISSIONS.common }] },
      name,
    );
  const signInWith = async (page: Page, email: string, password: string, code?: string) => {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    if (code !== undefined) await page.getByLabel('One-time code or recovery code').fill(code);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const addPasskey = async (page: Page) => {
    await page.getByRole('button', { name: 'Add a passkey…' }).click();
    await page.getByLabel('Name of the passkey').fill('This laptop');
    await page.getByRole('dialog').getByLabel('Your password').fill(SEED_PASSWORD);
    await page.getByRole('button', { name: 'Add the passkey' }).click();
  };
  const isIn = (page: Page) => page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();

  it('shows the colors that the person chooses, whatever the system prefers', async () => {
    const person = await member('Dora Dark');
    for (const [system, chosen, background] of [
      ['light', 'dark', 'rgb(15, 20, 22)'],
      ['dark', 'light', 'rgb(246, 247, 248)'],
    ] as const) {
      const visitor = await story.visit({ colorScheme: system });
      await visitor.enter(person, '/account');
      await visitor.page.getByLabel('Colors').selectOption(chosen);
      const shown = await visitor.page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      expect(shown).toBe(background);
    }
  });

  it('requests a link for a new password once, even if Enter is pressed again', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open('/password-reset');
    const asked: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    await visitor.context.route('**/graphql', async (route) => {
      const body = route.request().postData() ?? '';
      if (!body.includes('requestPasswordReset')) return route.continue();
      asked.push(body);
      await gate;
      return route.continue();
    });
    const field = page.getByLabel('E-mail address');
    await field.fill('nobody@lucarne.example');
    await field.press('Enter');
    const button = page.locator('main form button');
    await until(page, 'document.querySelector("main form button").ariaDisabled === "true"');
    await field.press('Enter');
    await button.click({ force: true });
    open(undefined);
    await until(page, '(document.querySelector("main form button")?.ariaDisabled ?? null) === null');
    expect(asked).toHaveLength(1);
  });

  it('gets a new password with a link, once', async () => {
    const { email } = await member('Rita Reset');
    const mails: string[] = [];
    const mailer = { send: (mail: Mail) => Promise.resolve(void mails.push(mail.text)) };
    const door = { origin: () => story.app.url, mailer };
    await requestPasswordReset(story.app.application.foundation, door, { email }, '192.0.2.9');
    while (mails.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const [, token = ''] = /#([\w-]{43})/.exec(mails[0]!) ?? [];
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open(`/password-reset#${token}`);
    const password = page.getByLabel('New password');
    await password.fill(NEW_PASSWORD);
    expect(page.url()).not.toContain('#');
    // Typed once and unseen, an error of typing would be found only at the next sign-in.
    expect(await password.getAttribute('type')).toBe('password');
    await page.getByLabel('Show what I type').check();
    expect([await password.getAttribute('type'), await password.inputValue()]).toEqual([
      'text',
      NEW_PASSWORD,
    ]);
    expect(await password.getAttribute('spellcheck')).toBe('false');
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Your password is changed, and all your sessions have ended.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signInWith(page, email, SEED_PASSWORD);
    await page.getByText('E-mail address, password or code is wrong.').waitFor();
    await signInWith(page, email, NEW_PASSWORD);
    await isIn(page);
    // The data by which a person recognizes a session.
    await visitor.open('/account');
    const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await sessions.filter({ hasText: 'Chrome on Linux' }).filter({ hasText: '127.0.0.1' }).waitFor();

    const again = await story.visit();
    await again.open(`/password-reset#${token}`);
    await again.page.getByLabel('New password').fill(NEW_PASSWORD);
    await again.page.getByRole('button', { name: 'Set the password' }).click();
    await again.page.getByText('This link was used or has expired.').waitFor();
  });

  it('shows who creates links if no mail server is configured', async () => {
    const visitor = await story.visit();
    await visitor.open('/sign-in');
    await visitor.page.getByRole('link', { name: 'Forgot your password?' }).click();
    // Both pages have the field.
    await visitor.page.getByRole('heading', { level: 1, name: 'A new password' }).waitFor();
    await visitor.page.getByLabel('E-mail address').fill('somebody@example.test');
    await visitor.page.getByRole('button', { name: 'Mail me a link' }).click();
    await visitor.page.getByRole('alert').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('is created with an invitation and a password', async () => {
    const owner = await story.visit();
    await owner.enter(story.app.organization.owner, '/organization/people');
    await owner.page.getByRole('button', { name: 'Invite a person…' }).click();
    await owner.page.getByLabel('E-mail address').fill('petra.password@example.test');
    await owner.page.getByLabel('Name', { exact: true }).fill('Petra Password');
    await owner.page.getByRole('button', { name: 'Create the invitation' }).click();
    const link = await owner.page.getByLabel('Link to hand over').innerText();
    await owner.page.getByRole('button', { name: 'Copy the link' }).waitFor();
    await owner.page.getByRole('button', { name: 'I have handed it over' }).click();
    await owner.page
      .getByRole('list', { name: 'Links that still work' })
      .getByText('Petra Password')
      .waitFor();
    expect(await owner.accessibilityProblems()).toEqual([]);

    const person = await story.visit();
    await person.open(`/invitation#${link.split('#')[1]}`);
    await person.page
      .getByText(`${story.app.organization.organization.name} invites you to its portal.`)
      .waitFor();
    await person.page.getByText(story.app.organization.owner.principal.name, { exact: true }).waitFor();
    await person.page.getByText('petra.password@example.test').waitFor();
    // The problem of a password is shown at its field, with its label.
    await person.page.getByLabel(/password/i).fill('password1234');
    await person.page.locator('form button[type=submit]').click();
    const refusal = person.page.locator('.field', { hasText: /^Password/ }).locator('.field-error');
    await refusal.getByText(/^Password, at least 12 characters is among the passwords/).waitFor();
    expect(await person.accessibilityProblems()).toEqual([]);
    await person.page.getByLabel(/password/i).fill(NEW_PASSWORD);
    await person.page.locator('form button[type=submit]').click();
    await isIn(person.page);
    await person.page.getByRole('button', { name: 'Sign out' }).first().click();
    await signInWith(person.page, 'petra.password@example.test', NEW_PASSWORD);
    await isIn(person.page);
  });

  it('is not created after the invitation is revoked', async () => {
    const owner = await story.visit();
    const { page } = owner;
    await owner.enter(story.app.organization.owner, '/organization/people');
    await page.getByRole('button', { name: 'Invite a person…' }).click();
    await page.getByLabel('E-mail address').fill('uma.uninvited@example.test');
    await page.getByLabel('Name', { exact: true }).fill('Uma Uninvited');
    await page.getByRole('button', { name: 'Create the invitation' }).click();
    const link = await page.getByLabel('Link to hand over').innerText();
    await page.getByRole('button', { name: 'I have handed it over' }).click();
    await page.getByRole('button', { name: 'Revoke… the link of Uma Uninvited' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke the link' }).click();
    await page.getByText('Uma Uninvited', { exact: true }).waitFor({ state: 'detached' });

    const person = await story.visit();
    // The page says so before the person chooses a password.
    await person.open(`/invitation#${link.split('#')[1]}`);
    await person.page.getByText('This link was used, replaced or revoked, or it has expired.').waitFor();
    expect(await person.page.getByLabel(/password/i).count()).toBe(0);
    expect(await person.accessibilityProblems()).toEqual([]);
  });

  it('lets an owner give a member a new way to sign in', async () => {
    const lost = await member('Lou Lost');
    const owner = await story.visit();
    await owner.enter(story.app.organization.owner, '/organization/people');
    const row = owner.page.getByRole('listitem').filter({ hasText: 'Lou Lost' });
    await row.getByRole('button', { name: 'Reset sign-in…' }).click();
    expect(await owner.accessibilityProblems()).toEqual([]);
    await owner.page.getByRole('button', { name: 'Create the link' }).click();
    const link = await owner.page.getByLabel('Link to hand over').innerText();
    expect(await owner.accessibilityProblems()).toEqual([]);

    const person = await story.visit();
    await person.open(`/invitation#${link.split('#')[1]}`);
    await person.page.getByText('asks you to choose a new way to sign in.').waitFor();
    await person.page.getByLabel(/password/i).fill(NEW_PASSWORD);
    await person.page.locator('form button[type=submit]').click();
    await isIn(person.page);
    await person.page.getByRole('button', { name: 'Sign out' }).first().click();
    await signInWith(person.page, lost.email, SEED_PASSWORD);
    await person.page.getByText('E-mail address, password or code is wrong.').waitFor();
  });

  it('turns on one-time codes from a QR code, then requires them at sign-in and to step up', async () => {
    const { email } = await member('Tom Totp');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open('/sign-in');
    await signInWith(page, email, SEED_PASSWORD);
    await isIn(page);
    await page.getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Turn on one-time codes…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('img', { name: 'The secret as a QR code' }).waitFor();
    const secret = await dialog.locator('code').innerText();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByLabel('One-time code').fill(codeOf(secret));
    await dialog.getByLabel('Your password').fill(SEED_PASSWORD);
    await dialog.getByRole('button', { name: 'Turn them on' }).click();
    await page.getByText('You changed how you sign in, which ended all your sessions.').waitFor();

    await signInWith(page, email, SEED_PASSWORD);
    await page.getByText('E-mail address, password or code is wrong.').waitFor();
    await signInWith(page, email, SEED_PASSWORD, codeOf(secret, 1));
    await page.getByRole('heading', { level: 1, name: 'Tom Totp' }).waitFor();
    // Six minutes pass in the session. Each code works once, so its time is reset, too.
    await story.app.database.transaction(async (transaction) => {
      await transaction.rows(sql`update sessions set factor_at = factor_at - interval '6 minutes'`);
      await transaction.rows(sql`update accounts set last_totp_step = 0 where email = ${email}`);
    });
    await page.getByRole('button', { name: 'Create ten new codes' }).click();
    await page.getByRole('heading', { name: 'Prove your second factor' }).waitFor();
    await page.getByRole('dialog').getByLabel('One-time code or recovery code').fill('000000');
    await page.getByRole('button', { name: 'Prove it' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('dialog').getByLabel('One-time code or recovery code').fill(codeOf(secret));
    await page.getByRole('button', { name: 'Prove it' }).click();
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('10 codes left.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('removes a passkey, after which the password is enough again', async () => {
    const { email } = await member('Pia Passkey');
    // Browsers create passkeys for host names, not for addresses.
    const visitor = await story.visit({ baseURL: story.app.url.replace('127.0.0.1', 'localhost') });
    const { page } = visitor;
    await withAuthenticator(page);
    await visitor.open('/sign-in');
    await signInWith(page, email, SEED_PASSWORD);
    await isIn(page);
    await visitor.open('/account');
    await addPasskey(page);
    await page.getByText('This laptop').waitFor();
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('heading', { name: 'This removes the passkey “This laptop”.' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Remove the passkey' }).click();
    await page.getByText('You have no passkey.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await signInWith(page, email, SEED_PASSWORD);
    await isIn(page);
  });

  it('shows where passkeys work, at an address where the browser supports none', async () => {
    const { email } = await member('Ida Address');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open('/sign-in');
    await signInWith(page, email, SEED_PASSWORD);
    await isIn(page);
    await visitor.open('/account');
    await addPasskey(page);
    await page.getByRole('alert').getByText('open the portal as “localhost”').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('warns two minutes before an idle session ends, can stay signed in, and is cleared at the end', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    let idleSecondsLeft = 110;
    await visitor.betray((operation, data) => {
      if (operation !== 'SessionEnd') return;
      ((data['me'] as Record<string, unknown>)['session'] as Record<string, unknown>)['idleSecondsLeft'] =
        idleSecondsLeft;
    });
    await visitor.enter(story.app.organization.owner);
    await page.getByRole('heading', { name: 'Your session ends in 1 min' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    idleSecondsLeft = 1_800;
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    idleSecondsLeft = 3;
    await page.reload();
    await page.getByText('Your session has ended.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
