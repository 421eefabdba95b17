import { expect, it } from '@jest/globals';
import { createDisclosurePolicy } from '../../../src/domain/disclosures/index.js';
import { portalStories, problemsInEveryLook, within } from '../../kit/browser/portal.js';
import { SEED_PASSWORD, type SeededUser } from '../../kit/seed.js';

portalStories('signing in to the portal', (story) => {
  it('is reached from the root of the gateway', async () => {
    const { page } = await story.visit();
    await page.goto(`${story.app.url}/`);
    await page.waitForURL(`${story.app.url}/portal/sign-in`);
    expect(await page.title()).toBe('Sign in · Lucarne');
  });

  it.each(['nobody', 'somebody whose session has ended'])(
    'asks the gateway nothing that it refuses, so that the console stays silent for %s',
    async (who) => {
      const visitor = await story.visit();
      const { page } = visitor;
      const refused: string[] = [];
      page.on('response', (answer) => {
        if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
      });
      const cookie = { name: 'lucarne', value: 'a'.repeat(43), url: story.app.url, httpOnly: true };
      if (who !== 'nobody') await visitor.context.addCookies([cookie]);
      await visitor.open('/');
      await page.getByRole('link', { name: 'Forgot your password?' }).waitFor();
      expect(refused).toEqual([]);
    },
  );

  it('returns visitors to the requested page, with its filters', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open('/organization/log?event=asset.created&from=2026-01-01');
    await page.waitForURL(/sign-in\?next=/);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByLabel('E-mail address').fill(story.app.organization.owner.email);
    await page.getByLabel('Password').fill('correct horse battery staple');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(/\/portal\/organization\/log\?event=asset\.created&from=2026-01-01$/);
    await page.getByRole('heading', { level: 1, name: 'Activity log' }).waitFor();
  });

  it('never redirects to another host', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open('/sign-in?next=%2F%2Fevil.example%2F');
    await page.getByLabel('E-mail address').fill(story.app.organization.owner.email);
    await page.getByLabel('Password').fill('correct horse battery staple');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
    expect(page.url()).toBe(`${story.app.url}/portal/`);
  });

  it('shows after a wrong password only that something is wrong, and focuses the message', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open('/sign-in');
    await page.getByLabel('E-mail address').fill('unknown@example.test');
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').getByText('E-mail address, password or code is wrong.').waitFor();
    expect(await page.locator(':focus').getAttribute('role')).toBe('alert');
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('offers the embedded demo’s users with one click each, and no users otherwise', async () => {
    const { application, organization, other } = story.app;
    const anywhere = await story.visit();
    await anywhere.open('/sign-in');
    await anywhere.page.getByRole('link', { name: 'Forgot your password?' }).waitFor();
    expect(await anywhere.page.getByText('Try the demo').count()).toBe(0);

    const account = ({ principal, email }: SeededUser, name: string, organization: string) => ({
      id: principal.userId,
      name,
      role: 'owner' as const,
      organization,
      email,
      password: SEED_PASSWORD,
    });
    application.offerDemoAccounts([
      account(organization.owner, 'Olga Owner', 'Acme'),
      account(other.owner, 'Otto Other', 'Umbrella'),
    ]);
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open('/organization/people');
    await page.getByRole('heading', { name: 'Try the demo' }).waitFor();
    await page.getByRole('heading', { name: 'Another organization' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Sign in as Olga Owner' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    application.offerDemoAccounts([]);
  });

  it('says that the demo is still being filled, until it is, and then shows what was added', async () => {
    const { application, organization } = story.app;
    const { foundation } = application;
    const { owner } = organization;
    application.offerDemoAccounts([
      {
        ...{ id: owner.principal.userId, name: 'Olga Owner', role: 'owner', organization: 'Acme' },
        ...{ email: owner.email, password: SEED_PASSWORD },
      },
    ]);
    application.fillsDemo(true);
    const visitor = await story.visit();
    const { page } = visitor;
    const filling = page.getByRole('status').getByText('The demo data is being created');
    await visitor.open('/organization/policies');
    await filling.waitFor();
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in as Olga Owner' }).click();
    await page.getByText('There is no policy.').waitFor();
    await filling.waitFor();
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    await createDisclosurePolicy(foundation, owner.principal, {
      ...{ key: 'added', name: 'Added meanwhile', allowedFields: ['amount'], allowedFormats: ['json'] },
      ...{ maximumRecords: 1, inside: 'authorize', outside: 'review' },
    });
    application.fillsDemo(false);
    await filling.waitFor({ state: 'detached' });
    await page.getByRole('status').getByText('The demo data is complete.').waitFor();
    await page.getByText('Added meanwhile').waitFor();
    // The page was loaded again, and has nothing to say.
    await page.reload();
    await page.getByText('Added meanwhile').waitFor();
    expect(await page.getByText(/^The demo data/).count()).toBe(0);
    application.offerDemoAccounts([]);
  });

  it('says why a demo user is not signed in who has another password by now', async () => {
    const { application, organization } = story.app;
    const { principal, email } = organization.owner;
    application.offerDemoAccounts([
      {
        ...{ id: principal.userId, name: 'Olga Owner', role: 'owner', organization: 'Acme' },
        ...{ email, password: 'the password of the first start' },
      },
    ]);
    const visitor = await story.visit();
    await visitor.open('/');
    await visitor.page.getByRole('button', { name: 'Sign in as Olga Owner' }).click();
    await visitor.page.getByRole('alert').getByText('This demo user has another password by now').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    application.offerDemoAccounts([]);
  });

  it('names the organization of a demo user whose name is in both', async () => {
    const { application, organization, other } = story.app;
    const account = ({ principal, email }: SeededUser, company: string) => ({
      ...{ id: principal.userId, name: 'Olga Owner', role: 'owner' as const, organization: company },
      ...{ email, password: SEED_PASSWORD },
    });
    application.offerDemoAccounts([account(organization.owner, 'Acme'), account(other.owner, 'Umbrella')]);
    const { page, ...visitor } = await story.visit();
    await visitor.open('/');
    await page.getByRole('button', { name: 'Sign in as Olga Owner, Umbrella', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign in as Olga Owner', exact: true }).count()).toBe(1);
    application.offerDemoAccounts([]);
  });

  it('offers an identity provider if one is configured, and explains why a sign-in there failed', async () => {
    const visitor = await story.visit();
    await visitor.page.goto(`${story.app.url}/auth/oidc/callback?state=x`);
    await visitor.page.getByRole('alert').getByText('is not set up here').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    const provider = visitor.page.getByRole('link', { name: 'identity provider' });
    expect(await provider.count()).toBe(0);

    await visitor.betray((operation, data) => {
      if (operation === 'SignInOptions') within(data, 'signInOptions')['oidc'] = true;
    });
    await visitor.open('/organization/log');
    await provider.waitFor();
    expect(await provider.getAttribute('href')).toBe(
      '/auth/oidc/start?return_to=%2Fportal%2Forganization%2Flog',
    );
  });

  it('shows only what was wrong with the last attempt, of whatever kind it was', async () => {
    const { application, organization } = story.app;
    const account = { id: organization.owner.principal.userId, name: 'Olga Owner', role: 'owner' as const };
    application.offerDemoAccounts([
      { ...account, organization: 'Acme', email: organization.owner.email, password: SEED_PASSWORD },
    ]);
    const visitor = await story.visit();
    const { page } = visitor;
    await page.goto(`${story.app.url}/auth/oidc/callback?state=x`);
    const alert = page.getByRole('alert');
    await alert.getByText('is not set up here').waitFor();
    const only = async (text: string | RegExp) => {
      await alert.getByText(text).waitFor();
      expect(await alert.count()).toBe(1);
      expect(await problemsInEveryLook(visitor)).toEqual([]);
    };
    const signIn = async () => {
      await page.getByLabel('E-mail address').fill('unknown@example.test');
      await page.getByLabel('Password').fill('not the password');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await only('E-mail address, password or code is wrong.');
    };
    await signIn();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await only('does not offer passkeys at this address');
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('SignInAsDemoUser')
        ? route.fulfill({ json: { errors: [{ message: 'Gone.', extensions: { code: 'CONFLICT' } }] } })
        : route.fallback(),
    );
    await page.getByRole('button', { name: 'Sign in as Olga Owner' }).click();
    await only('Gone.');
    await signIn();
    application.offerDemoAccounts([]);
  });

  it('ends in every tab on sign-out, and leaves no data on screen', async () => {
    const visitor = await story.visit();
    await visitor.signIn(story.app.organization.owner);
    const second = await visitor.context.newPage();
    await second.goto(`${story.app.url}/portal/organization/log?from=2026-01-01`);
    await second.getByText('Operator created the organization').waitFor();
    await visitor.page.getByRole('button', { name: 'Sign out' }).first().click();
    await second.getByText('Your session has ended.').waitFor();
    expect(new URL(second.url()).searchParams.get('next')).toBe('/organization/log?from=2026-01-01');
    // Back also shows nothing of the earlier pages.
    await visitor.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await visitor.page.goBack();
    await visitor.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await second.getByText('Operator created the organization').count()).toBe(0);
  });

  it('is checked when the browser restores a page from its cache, which keeps no data', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(story.app.organization.owner, '/organization/log');
    const read = page.getByText('Operator created the organization');
    await read.waitFor();
    const happens = (event: string) =>
      page.evaluate(`dispatchEvent(new PageTransitionEvent('${event}', { persisted: true }))`);
    await happens('pagehide');
    expect(await page.evaluate('document.getElementById("root").childElementCount')).toBe(0);
    await visitor.context.clearCookies();
    await happens('pageshow');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await read.count()).toBe(0);
  });
});
