import { beforeAll, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { createApiKey } from '../../../src/domain/organizations/index.js';
import { bearer, graphql, sessionOf } from '../../kit/app.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { portalStories } from '../../kit/browser/portal.js';
import { SEED_PASSWORD } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('everyday work in the portal', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  it.each([
    ['late', -30],
    ['early', 30],
  ])(
    'shows what ends, and since when something waits, in a browser whose clock is 30 days %s',
    async (_, days) => {
      const { foundation } = story.app.application;
      const DAY_MS = 86_400_000;
      const key = async (name: string, endsInDays: number) => {
        await createApiKey(foundation, desk.everything.principal, {
          name: `${name} ${days}`,
          scopes: ['assets:read'],
          expiresAt: new Date(Date.now() + DAY_MS),
        });
        await foundation.database.rows(
          sql`update api_keys set expires_at = now() + ${endsInDays} * interval '1 day' where name = ${`${name} ${days}`}`,
        );
      };
      await key('Ends soon', 2);
      await key('Has ended', -2);
      const id = await desk.ask(`Asked before ${days}`);
      await foundation.database.rows(
        sql`update case_requests set created_at = now() - interval '15 minutes' where id = ${id}`,
      );
      const visitor = await story.visit();
      const { page } = visitor;
      await page.clock.install({ time: Date.now() + days * DAY_MS });
      await visitor.enter(desk.everything, '/organization/keys');
      const rows = page.getByRole('listitem');
      await rows
        .filter({ hasText: `Ends soon ${days}` })
        .getByText('active', { exact: true })
        .waitFor();
      await rows
        .filter({ hasText: `Has ended ${days}` })
        .getByText('expired', { exact: true })
        .waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'To do' }).click();
      const ending = page.getByRole('list', { name: 'API keys that end within 14 days' });
      await ending.getByText(`Ends soon ${days}`).waitFor();
      expect(await ending.getByText(`Has ended ${days}`).count()).toBe(0);
      await page
        .getByRole('listitem')
        .filter({ hasText: `Asked before ${days}` })
        .getByText(/waits for 1\d min/)
        .waitFor();
    },
  );

  it('approves an address with a reason, and revokes it with another', async () => {
    const address = randomAddress();
    const listed = async () => {
      const { data } = await graphql(
        story.app,
        `
          query ($search: String) {
            addresses(foreignId: "payments", search: $search, first: 10) {
              nodes {
                address
                status
                reason
              }
            }
          }
        `,
        { variables: { search: address }, headers: sessionOf(story.app, desk.administrator.sessionToken) },
      );
      return (data!['addresses'] as { nodes: unknown[] }).nodes;
    };
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, '/a/payments/addresses');
    await page.getByRole('button', { name: 'Approve an address…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(address);
    await dialog.getByLabel('Reason').fill('A customer');
    await dialog.getByRole('button', { name: 'Approve the address' }).click();
    const items = page.getByRole('list', { name: 'Listed addresses' }).getByRole('listitem');
    const approved = items.filter({ hasText: 'A customer' });
    await approved.getByText('approved', { exact: true }).waitFor();
    expect(await listed()).toEqual([{ address, status: 'approved', reason: 'A customer' }]);
    await approved.getByRole('button', { name: 'Revoke…' }).click();
    await dialog.getByLabel('Reason').fill('The customer left');
    await dialog.getByRole('button', { name: 'Revoke the address' }).click();
    const revoked = items.filter({ hasText: 'The customer left' });
    await revoked.getByText('revoked', { exact: true }).waitFor();
    expect(await revoked.getByRole('button', { name: 'Revoke…' }).count()).toBe(0);
    expect(await listed()).toEqual([{ address, status: 'revoked', reason: 'The customer left' }]);
  });

  it('revokes an API key, which the gateway then refuses', async () => {
    const { secret } = await createApiKey(story.app.application.foundation, desk.everything.principal, {
      name: 'Nightly import',
      scopes: ['assets:read'],
    });
    const use = () =>
      graphql(story.app, '{ assets(first: 1) { nodes { id } } }', { headers: bearer(secret) });
    expect((await use()).errors).toBeUndefined();
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/keys');
    const key = page.getByRole('listitem').filter({ hasText: 'Nightly import' });
    await key.getByRole('button', { name: /^Revoke…/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke the key' }).click();
    await key.getByText('revoked', { exact: true }).waitFor();
    expect((await use()).errors?.[0]?.extensions['code']).toBe('UNAUTHENTICATED');
  });

  it('creates an API key, which requires a scope: the form says so beside the scopes', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/keys');
    await page.getByRole('button', { name: 'Create a key…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel('Name').fill('Weekly import');
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    const scopes = dialog.getByRole('group', { name: 'Scopes' });
    const problem = scopes.getByRole('alert').getByText('Choose at least one scope.');
    await problem.waitFor();
    // Directly below the last box, and where the focus is.
    const [lastBox, sentence] = [
      await scopes.getByRole('checkbox').last().boundingBox(),
      await problem.boundingBox(),
    ];
    expect(sentence!.y - lastBox!.y).toBeGreaterThan(0);
    expect(sentence!.y - lastBox!.y).toBeLessThan(80);
    expect(await scopes.getByRole('checkbox').first().and(page.locator(':focus')).count()).toBe(1);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByLabel('transactions:read').check();
    await problem.waitFor({ state: 'detached' });
    await dialog.getByText('Read transactions, whose amounts stay encrypted.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('Store the secret now').waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Weekly import' }).waitFor();
  });

  it('ends all other sessions of a person, but not the current one', async () => {
    const [here, elsewhere] = [await story.visit(), await story.visit()];
    await here.signIn(desk.auditor);
    await elsewhere.signIn(desk.auditor);
    await here.open('/account');
    const sessions = here.page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await sessions.nth(1).waitFor();
    // A refusal is shown.
    await here.context.route('**/graphql', (route) =>
      route.request().postData()?.includes('RevokeOtherSessions')
        ? route.fulfill({
            status: 503,
            json: { errors: [{ message: 'The database is away.', extensions: { code: 'UNAVAILABLE' } }] },
          })
        : route.fallback(),
    );
    await here.page.getByRole('button', { name: 'End all others…' }).click();
    const end = here.page.getByRole('alertdialog').getByRole('button', { name: 'End all others' });
    await end.click();
    await here.page.getByRole('alert').getByText('The database is away.').waitFor();
    expect(await here.accessibilityProblems()).toEqual([]);
    await here.context.unroute('**/graphql');
    await end.click();
    await sessions.nth(1).waitFor({ state: 'detached' });
    await sessions.getByText('this one').waitFor();
    await elsewhere.open('/account');
    await elsewhere.page.waitForURL(/\/sign-in/);
  });

  it('registers one asset if the answer is lost and the form is sent again', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/assets');
    let sent = 0;
    await visitor.context.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation CreateAsset')) return route.fallback();
      sent += 1;
      if (sent > 1) return route.fallback();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Register an asset…' }).click();
    await page.getByLabel('Name').fill('Sent Twice');
    await page.getByLabel('Symbol').fill('TWICE');
    await page.getByRole('button', { name: 'Register the asset' }).click();
    await page.getByRole('alert').getByText('it is not known whether this was done').waitFor();
    await page.getByRole('button', { name: 'Register the asset' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sent Twice (TWICE)' }).waitFor();
    const { assets } = (await desk.asOwner('{ assets(first: 200) { nodes { symbol } } }', {})) as {
      assets: { nodes: { symbol: string }[] };
    };
    expect([sent, assets.nodes.filter(({ symbol }) => symbol === 'TWICE').length]).toEqual([2, 1]);
  });

  it('changes the password, which ends the session and starts a new one', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.signIn(desk.administrator);
    await visitor.open('/account');
    const password = 'another long password of mine';
    await page.getByLabel('Current password').fill(SEED_PASSWORD);
    await page.getByLabel('New password, at least 12 characters').fill(password);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.waitForURL(/\/sign-in/);
    const signIn = async (typed: string) => {
      await page.getByLabel('E-mail address').fill(desk.administrator.email);
      await page.getByLabel('Password').fill(typed);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    await signIn(SEED_PASSWORD);
    await page.getByRole('alert').waitFor();
    await signIn(password);
    await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
  });
});
