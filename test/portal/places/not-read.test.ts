import { beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { loaded, portalStories, problemsInEveryLook, type Visitor } from '../../kit/browser/portal.js';
import { openGate } from '../../kit/process/gate.js';
import { seedMember } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('data that is not there', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  /** The gateway fails these operations until it recovers. */
  const failsAt = ({ context }: Visitor, ...operations: readonly string[]) =>
    context.route('**/graphql', (route) => {
      const query = route.request().postData() ?? '';
      if (!operations.some((operation) => query.includes(`query ${operation}(`))) return route.fallback();
      const error = { message: 'It failed.', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
      return route.fulfill({ json: { data: null, errors: [error] } });
    });
  const isWell = ({ context }: Visitor) => context.unrouteAll({ behavior: 'ignoreErrors' });

  it('is shown as loading after 200 ms, and then moves little of the page', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await page.clock.install();
    await visitor.enter(desk.everything);
    await page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
    await loaded(page);
    using gate = openGate();
    await visitor.context.route('**/graphql', async (route) => {
      await gate.until();
      await route.continue();
    });
    await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 10_000);
    // Those of the first place do not count. The browser's own time is not that of the page, which stands still.
    await page.evaluate(`globalThis.shifts = [];
      const begun = document.timeline.currentTime;
      new PerformanceObserver((list) => shifts.push(...list.getEntries().filter(({ startTime }) => startTime > begun)))
        .observe({ type: 'layout-shift', buffered: true });`);
    await page.getByRole('link', { name: 'People' }).click();
    const isLoading = page.locator('main [aria-busy=true]');
    await isLoading.waitFor({ state: 'attached' });
    await page.clock.runFor(199);
    expect(await isLoading.innerHTML()).toBe('<p class="visually-hidden" role="status"></p>');
    await page.clock.runFor(1);
    await page.getByText('Loading…').waitFor({ state: 'attached' });
    await page.clock.resume();
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    gate.release();
    await page.getByText('Ada Administrator').waitFor();
    // Web Vitals calls a cumulative layout shift of up to 0.1 good.
    expect(await page.evaluate('shifts.reduce((sum, { value }) => sum + value, 0)')).toBeLessThan(0.1);
  });

  it('is not shown as an empty queue', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await failsAt(visitor, 'Relays', 'ApiKeys', 'Assets', 'Invitations', 'PendingPermissionGrants');
    await visitor.enter(desk.everything);
    for (const name of [
      'Relays in doubt',
      'Relays that may be tried again',
      'API keys that end within 14 days',
      'Assets that are not followed',
      'Links that still work',
      'Permissions that wait for a second person',
    ])
      await page
        .locator('section', { has: page.getByRole('heading', { name, exact: true }) })
        .first()
        .getByText('It failed.')
        .waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await isWell(visitor);
    await page.reload();
    await page.getByRole('heading', { name: 'The activity log' }).waitFor();
    await page.getByRole('heading', { name: 'Relays in doubt' }).waitFor({ state: 'detached' });
  });

  it('is shown as it was read before, with one notice since when, until it can be read again', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/a/payments/addresses');
    const notListed = page.getByRole('button', { name: 'Change this…' });
    await notListed.waitFor();
    await visitor.context.route('**/graphql', (route) => {
      const error = { message: 'It failed.', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
      return route.fulfill({ json: { data: null, errors: [error] } });
    });
    // As after a minute in another tab.
    await page.evaluate(`(() => {
      let state = 'hidden';
      Object.defineProperty(document, 'visibilityState', { get: () => state });
      document.dispatchEvent(new Event('visibilitychange'));
      const { now } = Date;
      Date.now = () => now() + 61_000;
      state = 'visible';
      document.dispatchEvent(new Event('visibilitychange'));
    })()`);
    const old = page.getByText(/^Not updated since \d\d:\d\d.*: the data could not be read again\.$/);
    await old.waitFor();
    expect(await notListed.count()).toBe(1);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    const update = page.getByRole('button', { name: 'Update now' });
    await Promise.all([page.waitForResponse('**/graphql'), update.click()]);
    expect(await old.count()).toBe(1);
    await isWell(visitor);
    await update.click();
    await old.waitFor({ state: 'detached' });
  });

  it('is reported in French, with the sentence of the gateway marked as English', async () => {
    const visitor = await story.visit({ locale: 'fr-FR' });
    const { page } = visitor;
    await failsAt(visitor, 'AddressPolicy');
    await visitor.enter(desk.administrator, '/a/payments/addresses');
    await page.getByText('La requête a échoué dans la passerelle.').waitFor();
    expect(await page.getByText('It failed.').getAttribute('lang')).toBe('en');
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await isWell(visitor);
  });

  it('cannot be changed, because the current value is unknown', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await failsAt(visitor, 'AddressPolicy');
    await visitor.enter(desk.administrator, '/a/payments/addresses');
    await page.getByText('It failed.').waitFor();
    expect(await page.getByRole('button', { name: 'Change this…' }).count()).toBe(0);
    await isWell(visitor);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Change this…' }).click();
    await page.getByText('After this, every address that is not listed is approved').waitFor();
  });

  it('disables the form: no asset is registered without its policy or removed from its application', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await failsAt(visitor, 'DisclosurePolicies', 'ApplicationNames');
    await visitor.enter(desk.everything, '/organization/assets');
    const dialog = page.getByRole('dialog');
    const opens = async (button: string, action: string) => {
      await page.getByRole('button', { name: button }).click();
      await dialog.getByText('It failed.').waitFor();
      expect(await dialog.getByRole('button', { name: action }).isDisabled()).toBe(true);
      expect(await visitor.accessibilityProblems()).toEqual([]);
    };
    await opens('Register an asset…', 'Register the asset');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Private Dollar' }).first().click();
    await opens('Assign to an application…', 'Assign the asset');
    await isWell(visitor);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    const assign = dialog.getByRole('button', { name: 'Assign the asset' });
    // Nothing is chosen yet, and so nothing would change.
    expect(await assign.isDisabled()).toBe(true);
    await dialog.getByLabel('Application').selectOption({ label: 'None' });
    expect(await assign.isDisabled()).toBe(false);
  });

  it('is not used for a comparison', async () => {
    const id = await desk.ask('Compared with nothing');
    const visitor = await story.visit();
    const { page } = visitor;
    await failsAt(visitor, 'CasesOfAuditors');
    await visitor.enter(desk.administrator, `/a/payments/requests/${id}`);
    const different = page.locator('section', {
      has: page.getByRole('heading', { name: 'What is different' }),
    });
    await different.getByText('It failed.').first().waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('is not shown as the ended cases of an auditor', async () => {
    const visitor = await story.visit();
    await failsAt(visitor, 'OwnApprovedRequests');
    await visitor.enter(desk.auditor, '/a/payments/cases');
    await visitor.page.getByRole('heading', { name: 'Ended cases of your requests' }).waitFor();
    await visitor.page.getByText('It failed.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('differs from an empty list: no request was decided, while one is pending', async () => {
    await desk.ask('Waits alone');
    const visitor = await story.visit();
    await visitor.enter(desk.administrator, '/a/payments/requests?view=decided');
    await visitor.page.getByText('No request was decided yet.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('is not offered for changes to readers without permission', async () => {
    const reader = await seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      { owner: PERMISSIONS.owner.filter((permission) => permission === 'applications:read') },
      'Rita Reader',
    );
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(reader, '/organization/applications');
    await page.getByRole('cell', { name: 'payments', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /application…$/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Assets' }).click();
    await page.getByRole('link', { name: 'Private Dollar' }).first().click();
    await page.getByRole('heading', { level: 1, name: /^Private Dollar/ }).waitFor();
    expect(await page.getByRole('main').getByRole('button', { name: /…$/ }).count()).toBe(0);
  });
});
