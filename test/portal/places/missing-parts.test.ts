import { beforeAll, expect, it } from '@jest/globals';
import { portalStories, until, type Visitor } from '../../kit/browser/portal.js';
import { SEED_PASSWORD } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('a part of the page that does not load', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  const fileOf = (part: string) => `**/assets/${part}-*.js`;
  /** The gateway was upgraded while the page was open, and no longer has the file. */
  const remove = ({ context }: Visitor, part: string) =>
    context.route(fileOf(part), (route) => route.fulfill({ status: 404 }));
  const abort = async ({ context }: Visitor, paths: readonly string[]) => {
    for (const path of paths) await context.route(path, (route) => route.abort('internetdisconnected'));
  };
  /** The gateway does not answer for this part, or for the check whether it is reachable. */
  const disconnect = (visitor: Visitor, part: string) => abort(visitor, [fileOf(part), '**/portal/icon.svg']);
  const heading = ({ page }: Visitor, name: string, level = 1) => page.getByRole('heading', { level, name });
  /** A fault of the page is logged for developers: the console contains only the cause. */
  const isLogged = ({ broken }: Visitor, part: string) => {
    const logged = broken.splice(0);
    expect(logged.length).toBeGreaterThan(0);
    for (const text of logged)
      expect(text).toMatch(new RegExp(`Failed to fetch dynamically imported module: .*/assets/${part}-`));
  };
  const enter = async (visitor: Visitor) => {
    await visitor.enter(desk.everything, '/organization/people');
    await visitor.page.getByText('Ada Administrator').waitFor();
    await visitor.page.evaluate('window.isTheSame = true');
  };

  it('is requested again after the gateway was unavailable, and the page stays', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await enter(visitor);
    await disconnect(visitor, 'addresses');
    // An answer to any other request would show that the gateway is reachable again.
    await abort(visitor, ['**/graphql']);
    await page.getByRole('link', { name: 'Addresses' }).first().click();
    await heading(visitor, 'No connection', 2).waitFor();
    await page.getByText('Not connected since').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    // Still unavailable, so it is reported again.
    await page.evaluate('document.querySelector("main [role=alert]").isFirst = true');
    await page.getByRole('button', { name: 'Try again' }).click();
    await until(page, 'document.querySelector("main [role=alert]")?.isFirst === undefined');
    await heading(visitor, 'No connection', 2).waitFor();
    // It comes by itself once the gateway is back.
    await visitor.context.unrouteAll();
    await heading(visitor, 'Addresses').waitFor();
    await page.getByText('Not connected since').waitFor({ state: 'detached' });
    expect(await page.evaluate('window.isTheSame')).toBe(true);
  });

  it('is requested again when the reader returns to its page', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await enter(visitor);
    await disconnect(visitor, 'addresses');
    await page.getByRole('link', { name: 'Addresses' }).first().click();
    await heading(visitor, 'No connection', 2).waitFor();
    await page.getByRole('link', { name: 'People' }).first().click();
    await heading(visitor, 'People').waitFor();
    await visitor.context.unrouteAll();
    await page.getByRole('link', { name: 'Addresses' }).first().click();
    await heading(visitor, 'Addresses').waitFor();
    expect(await page.evaluate('window.isTheSame')).toBe(true);
  });

  it('makes the page ask for a reload if an upgrade removed it, and the console has the cause', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await enter(visitor);
    await remove(visitor, 'addresses');
    await page.getByRole('link', { name: 'Addresses' }).first().click();
    await page.getByText('The gateway was upgraded').waitFor();
    expect(await page.getByText('No connection').count()).toBe(0);
    expect(await page.getByText('Not connected since').count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    isLogged(visitor, 'addresses');
    await visitor.context.unrouteAll();
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await heading(visitor, 'Addresses').waitFor();
  });

  it('is reported above the screen, which stays, if it is not the screen itself', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await remove(visitor, 'step-up-layer');
    await visitor.enter(desk.everything, '/organization/people');
    await page.getByText('The gateway was upgraded').waitFor();
    await page.getByText('Ada Administrator').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    isLogged(visitor, 'step-up-layer');
    await visitor.context.unrouteAll();
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByText('Ada Administrator').waitFor();
    expect(await page.getByText('The gateway was upgraded').count()).toBe(0);

    await disconnect(visitor, 'go-to');
    await page.keyboard.press('Control+k');
    await heading(visitor, 'No connection', 2).waitFor();
    await heading(visitor, 'People').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await visitor.context.unrouteAll();
    await page.getByLabel('Name of a place, or an id').waitFor();
  });

  it('makes the page ask for a reload if it is the part that updates the page', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    // The protocol of the socket, which is named after its folder.
    await remove(visitor, 'dist');
    await visitor.enter(desk.everything, '/organization/people');
    await page.getByText('Not live: a part of the page did not load.').waitFor();
    await page.getByText('Ada Administrator').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    visitor.broken.splice(0);
    await visitor.context.unrouteAll();
    const socket = page.waitForEvent('websocket');
    await page.reload();
    await socket;
    expect(await page.getByText('Not live').count()).toBe(0);
  });

  it('leaves the rest of a case if it is a tab of the case', async () => {
    const id = await desk.openCase('A case without its reports');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('3, all of them').waitFor();
    await disconnect(visitor, 'case-reports');
    const tabs = page.getByRole('navigation', { name: 'Parts of the case' });
    await tabs.getByRole('link', { name: 'Reports' }).click();
    await heading(visitor, 'No connection', 2).waitFor();
    await heading(visitor, 'A case without its reports').waitFor();
    await tabs.getByRole('link', { name: 'Activity' }).click();
    await heading(visitor, 'No connection', 2).waitFor({ state: 'detached' });
    await visitor.context.unrouteAll();
    await tabs.getByRole('link', { name: 'Reports' }).click();
    await page.getByRole('button', { name: 'Create a report…' }).waitFor();
  });

  it('leaves the password form if it is a sign-in method', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await remove(visitor, 'other-ways');
    await visitor.open('/sign-in');
    await page.getByText('The gateway was upgraded').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    isLogged(visitor, 'other-ways');
    await page.getByLabel('E-mail address').fill(desk.everything.email);
    await page.getByLabel('Password').fill(SEED_PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading(visitor, 'To do').waitFor();
  });

  it('has a landmark and a way back if the page has no navigation', async () => {
    for (const [place, part] of [
      ['/verify', 'verify-file'],
      ['/help', 'help'],
      ['/relay', 'watch-relay'],
      ['/invitation', 'invitation'],
      ['/password-reset', 'password-reset'],
    ] as const) {
      const visitor = await story.visit();
      await remove(visitor, part);
      await visitor.open(place);
      await visitor.page.getByRole('main').getByText('The gateway was upgraded').waitFor();
      expect([place, await visitor.accessibilityProblems()]).toEqual([place, []]);
      isLogged(visitor, part);
      await visitor.page.getByRole('link', { name: 'Back to the portal' }).click();
      await heading(visitor, 'Sign in').waitFor();
    }
  });

  it('has a landmark and a retry button before the session is known', async () => {
    const visitor = await story.visit();
    await visitor.context.route('**/graphql', (route) => route.fulfill({ status: 503 }));
    await visitor.enter(desk.everything, '/organization/people');
    await visitor.page.getByRole('main').getByRole('heading', { name: 'Not available now' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await visitor.page.getByRole('link', { name: 'Back to the portal' }).waitFor();
    await visitor.context.unrouteAll();
    await visitor.page.getByRole('button', { name: 'Try again' }).click();
    await visitor.page.getByText('Ada Administrator').waitFor();
  });
});
