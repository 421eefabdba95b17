import { describe, expect, it } from '@jest/globals';
import { forFile } from '../../kit/for-file.js';
import { graphql, startTestApp } from '../../kit/app.js';
import { SEED_PASSWORD } from '../../kit/seed.js';

const OPTIONS = '{ signInOptions { password oidc demoUsers { id name role organization } demoFilling } }';

const app = forFile(await startTestApp());

describe('the ways to sign in', () => {
  const signInAs = (id: string, headers: Record<string, string> = { origin: app.url }) =>
    graphql(app, `mutation { signInAsDemoUser(id: "${id}") { user { id } } }`, { headers });

  it('are visible to anyone, and name no user without the embedded demo', async () => {
    expect(await graphql(app, OPTIONS)).toMatchObject({
      status: 200,
      data: { signInOptions: { password: true, oidc: false, demoUsers: [], demoFilling: false } },
    });
    const { errors } = await signInAs(app.organization.owner.principal.userId);
    expect(errors![0]!.extensions['code']).toBe('NOT_FOUND');
  });

  it('offer the embedded demo’s users with one click, and show no password', async () => {
    const { principal, email } = app.organization.owner;
    const account = {
      id: principal.userId,
      name: 'Acme Owner',
      role: 'owner',
      organization: 'Acme',
    } as const;
    app.application.offerDemoAccounts([{ ...account, email, password: SEED_PASSWORD }]);
    expect((await graphql(app, OPTIONS)).data).toEqual({
      signInOptions: { password: true, oidc: false, demoUsers: [account], demoFilling: false },
    });
    app.application.fillsDemo(true);
    expect((await graphql(app, OPTIONS)).data).toMatchObject({ signInOptions: { demoFilling: true } });
    app.application.fillsDemo(false);
    expect((await signInAs(account.id)).data).toEqual({ signInAsDemoUser: { user: { id: account.id } } });
    // No other user, and only from the portal's page.
    const other = await signInAs(app.other.owner.principal.userId);
    expect(other.errors![0]!.extensions['code']).toBe('NOT_FOUND');
    const foreign = await signInAs(account.id, { origin: 'https://elsewhere.example', cookie: 'lucarne=x' });
    expect(foreign.errors![0]!.extensions['code']).toBe('FORBIDDEN');
    app.application.offerDemoAccounts([]);
  });

  it('return a browser to the sign-in page after a failed sign-in at the provider', async () => {
    const callback = (accept: string) =>
      fetch(`${app.url}/auth/oidc/callback?state=x`, { headers: { accept }, redirect: 'manual' });
    const browser = await callback('text/html,application/xhtml+xml,*/*;q=0.8');
    expect([browser.status, browser.headers.get('location')]).toEqual([
      302,
      '/portal/sign-in?problem=not_found',
    ]);
    expect((await callback('application/json')).status).toBe(404);
  });
});
