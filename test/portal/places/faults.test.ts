import { beforeAll, expect, it } from '@jest/globals';
import type { WebSocketRoute } from 'playwright-core';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { approveAddress } from '../../../src/domain/checks/addresses/set-address-status.js';
import { openGate } from '../../kit/process/gate.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { portalStories, problemsInEveryLook, until, type Visitor } from '../../kit/browser/portal.js';
import { SEED_PASSWORD, seedMember } from '../../kit/seed.js';
import { askedBy, minutePasses, openDesk, type Desk } from '../kit.js';

portalStories('the portal during gateway failures', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  /** An action that the log of the application shows at once. */
  const act = async () => {
    const address = randomAddress();
    await approveAddress(story.app.application.foundation, desk.administrator.principal, {
      foreignId: 'payments',
      address,
      network: 'solana',
      reason: 'A customer',
    });
  };
  const approvals = (visitor: Visitor) => visitor.page.getByText('Ada Administrator approved an address');
  const onLog = async (visitor: Visitor) => {
    await visitor.enter(desk.everything, '/a/payments/log');
    await visitor.page.getByText('Operator created').first().waitFor({ state: 'attached' });
    return approvals(visitor).count();
  };
  const isGraphql = '**/graphql';

  it('sends nothing while the browser is offline, shows since when, and then shows each event once', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await page.clock.install();
    await page.addInitScript({
      content: `
      globalThis.sockets = [];
      globalThis.WebSocket = class extends WebSocket {
        constructor(...given) { super(...given); sockets.push(this); }
      };`,
    });
    const before = await onLog(visitor);
    await until(page, 'sockets.some(({ readyState }) => readyState === WebSocket.OPEN)');
    await visitor.context.setOffline(true);
    await page.getByText('Not connected since').waitFor();
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    await page.evaluate('sockets.forEach((socket) => socket.close(4000))');
    const asked = askedBy(page);
    await minutePasses(page);
    expect(asked).toEqual([]);
    await act();
    await visitor.context.setOffline(false);
    await page.getByText('Not connected since').waitFor({ state: 'detached' });
    await approvals(visitor).nth(before).waitFor();
    await page.getByText('Not live').waitFor({ state: 'detached' });
    expect(await approvals(visitor).count()).toBe(before + 1);
  });

  it('probes a gateway that does not answer, one probe at a time, and after any answer repeats failed reads', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, '/a/payments/requests');
    await page.getByRole('link', { name: /^Case requests/ }).waitFor();
    let [probes, atOnce, most, refusals] = [0, 0, 0, 0];
    await page.route('**/icon.svg', () => {
      [probes, atOnce] = [probes + 1, atOnce + 1];
      most = Math.max(most, atOnce);
    });
    page.on('requestfailed', (request) => {
      if (request.url().endsWith('/icon.svg')) atOnce -= 1;
    });
    await page.route(isGraphql, async (route) => {
      await route.abort('connectionreset');
      if (route.request().postData()?.includes('query PendingWork')) refusals += 1;
    });
    const waiting = page.getByRole('link', { name: /^Case requests \d+ waiting$/ });
    const before =
      (await waiting.count()) === 0 ? 0 : Number.parseInt(/\d+/.exec(await waiting.innerText())![0]);
    await desk.ask('Asked without a connection');
    await page.getByText('Not connected since').waitFor();
    while (probes < 2 || refusals < 3) await page.waitForTimeout(100);
    expect(most).toBe(1);
    await page.unroute(isGraphql);
    await page.getByRole('link', { name: 'Cases', exact: true }).click();
    await page.getByText('Not connected since').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: `Case requests ${before + 1} waiting` }).waitFor();
  });

  it('shows in the page and in an open dialog that the gateway does not answer, and sends nothing until it does', async () => {
    const id = await desk.ask('Decided without a connection');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, `/a/payments/requests/${id}`);
    const opener = page.getByRole('button', { name: 'Close…' });
    await opener.waitFor();
    await visitor.context.setOffline(true);
    await page.getByText('Not connected since').waitFor();
    await opener.click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Not connected: nothing can be sent.').waitFor();
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    // Meanwhile, a reason can be typed.
    const close = dialog.getByRole('button', { name: 'Close the request' });
    await dialog.getByLabel('Reason').fill('Not needed');
    expect(await close.isDisabled()).toBe(true);
    const described = `document.getElementById(
      document.querySelector('[role=alertdialog] button:disabled').getAttribute('aria-describedby')).textContent`;
    expect(await page.evaluate(described)).toMatch(/^Not connected since .* nothing can be sent\.$/);
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(false);
    await visitor.context.setOffline(false);
    await dialog.getByText('Not connected').waitFor({ state: 'detached' });
    await close.click();
    // To the list, or to another pending request.
    await page.waitForURL((url) => !url.pathname.endsWith(id));
  });

  it('shows the sign-in form again when the gateway answers', async () => {
    const visitor = await story.visit({ locale: 'fr-FR' });
    const { page } = visitor;
    await visitor.open('/sign-in');
    await page.getByLabel('Adresse e-mail').fill(desk.auditor.email);
    await page.getByLabel('Mot de passe').fill(SEED_PASSWORD);
    await visitor.context.setOffline(true);
    await page.getByText('rien ne peut être envoyé').waitFor();
    const signIn = page.getByRole('button', { name: 'Se connecter', exact: true });
    expect(await signIn.isDisabled()).toBe(true);
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    await visitor.context.setOffline(false);
    await page.getByText('rien ne peut être envoyé').waitFor({ state: 'detached' });
    await signIn.click();
    await page.getByRole('heading', { level: 1, name: 'À faire' }).waitFor();
  });

  it.each([
    { gateway: 'is known to be away', before: true },
    { gateway: 'is away since', before: false },
  ])(
    'cannot end a session while it $gateway: what was read is gone in every tab, and nobody is told that it ended',
    async ({ before }) => {
      const leaving = await seedMember(
        story.app.application.foundation,
        story.app.organization.organization.id,
        { owner: PERMISSIONS.owner },
        'Lou Leaving',
      );
      const visitor = await story.visit();
      const { page } = visitor;
      await visitor.enter(leaving, '/organization/people');
      await page.getByText('Ada Administrator').waitFor();
      const second = await visitor.context.newPage();
      await second.goto(`${story.app.url}/portal/organization/people`);
      await second.getByText('Ada Administrator').waitFor();
      await visitor.context.setOffline(true);
      if (before) await page.getByText('Not connected since').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      for (const tab of [page, second]) {
        await tab.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
        await tab.getByRole('alert').getByText('did not confirm that your session has ended').waitFor();
        expect(await tab.getByText('Ada Administrator').count()).toBe(0);
        expect(await tab.getByText('Your session has ended.').count()).toBe(0);
      }
      expect(await visitor.accessibilityProblems()).toEqual([]);
      const again = page.getByRole('button', { name: 'Sign out again' });
      await page.getByText('Not connected since').waitFor();
      expect(await again.isDisabled()).toBe(true);
      await visitor.context.setOffline(false);
      await page.getByText('Not connected since').waitFor({ state: 'detached' });
      await again.click();
      for (const tab of [page, second]) await tab.getByText('Your session has ended.').waitFor();
      expect(await second.getByText('did not confirm').count()).toBe(0);
      await visitor.open('/organization/people');
      await page.waitForURL(/sign-in/);
    },
  );

  it('soon removes data from the page if a sign-out is not answered', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, '/a/payments/requests');
    await page.getByRole('heading', { level: 1, name: 'Case requests' }).waitFor();
    const asked = Promise.withResolvers<undefined>();
    await visitor.context.route(isGraphql, (route) => {
      if (!route.request().postData()?.includes('mutation SignOut')) return route.continue();
      asked.resolve(undefined);
      return undefined;
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await asked.promise;
    await page.getByRole('alert').getByText('did not confirm that your session has ended').waitFor();
  });

  it('does not treat a response from before the disconnection as a sign of being connected', async () => {
    const visitor = await story.visit();
    // The screen is loaded, but its data is not.
    await visitor.enter(desk.everything, '/a/payments/cases');
    await visitor.page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
    await visitor.page.getByRole('link', { name: 'Activity log' }).first().click();
    await visitor.page.getByText('Operator created').first().waitFor({ state: 'attached' });
    using gate = openGate();
    await visitor.page.route(isGraphql, async (route) => {
      const response = await route.fetch();
      await gate.until();
      await route.fulfill({ response });
    });
    await visitor.page.getByRole('link', { name: 'Cases' }).first().click();
    await gate.arrived;
    await visitor.context.setOffline(true);
    await visitor.page.getByText('Not connected since').waitFor();
    const answered = visitor.page.waitForResponse(isGraphql);
    gate.release();
    await answered;
    await visitor.page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
    expect(await visitor.page.getByText('Not connected since').count()).toBe(1);
    await visitor.context.setOffline(false);
    await visitor.page.getByText('Not connected since').waitFor({ state: 'detached' });
    // Repeated reads may still be in progress.
    await visitor.page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('loses and repeats no event when the WebSocket is dropped', async () => {
    const visitor = await story.visit();
    const sockets: WebSocketRoute[] = [];
    let isOpen = true;
    await visitor.page.routeWebSocket(isGraphql, (socket) => {
      if (!isOpen) return void socket.close({ code: 1012, reason: 'Service restart' });
      sockets.push(socket);
      socket.connectToServer();
    });
    const before = await onLog(visitor);
    while (sockets.length === 0) await visitor.page.waitForTimeout(20);
    isOpen = false;
    await sockets[0]!.close({ code: 1012, reason: 'Service restart' });
    await visitor.page.getByText('Not live').waitFor();
    await act();
    isOpen = true;
    await visitor.page.getByText('Not live').waitFor({ state: 'detached' });
    await approvals(visitor).nth(before).waitFor();
    // Events over the new socket also arrive once.
    await act();
    await approvals(visitor)
      .nth(before + 1)
      .waitFor();
    expect(await approvals(visitor).count()).toBe(before + 2);
  });

  it('shows that a starting gateway is unavailable, and the page once it is available', async () => {
    const visitor = await story.visit();
    await visitor.enter(desk.everything);
    await visitor.page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
    await visitor.context.route(isGraphql, (route) =>
      route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: 'Service Unavailable' }),
    );
    await visitor.page.getByRole('link', { name: 'People' }).click();
    await visitor.page.getByRole('heading', { name: 'Not available now' }).waitFor();
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    await visitor.context.unroute(isGraphql);
    await visitor.page.getByRole('button', { name: 'Try again' }).click();
    await visitor.page.getByText('Ada Administrator').waitFor();
  });

  it('recovers without a reload when the proxy cannot reach the gateway', async () => {
    const visitor = await story.visit();
    await visitor.enter(desk.everything);
    await visitor.page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
    await visitor.context.route('**/{graphql,portal/icon.svg}', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    );
    await visitor.page.getByRole('link', { name: 'People' }).click();
    await visitor.page.getByText('Not connected since').waitFor();
    await visitor.page.getByRole('heading', { name: 'Not available now' }).waitFor();
    await visitor.context.unrouteAll();
    await visitor.page.getByText('Ada Administrator').waitFor();
  });

  it('shows nothing as verified or wrong if the verification code does not load', async () => {
    const visitor = await story.visit();
    await visitor.context.route('**/assets/worker-*.js', (route) => route.fulfill({ status: 503 }));
    await visitor.enter(desk.everything, '/organization/log');
    const mark = visitor.page.getByRole('button', { name: 'Activity log: Not checkable' });
    await mark.click();
    await visitor.page.getByText('The code that checks did not load').waitFor();
    expect(await visitor.page.getByText('does not hold').count()).toBe(0);
  });

  it('counts down the seconds when the gateway is overloaded', async () => {
    const visitor = await story.visit();
    await visitor.enter(desk.everything);
    await visitor.page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
    await visitor.context.route(isGraphql, (route) =>
      route.fulfill({
        status: 429,
        contentType: 'application/json',
        body: JSON.stringify({
          errors: [
            {
              message: 'Too many requests.',
              extensions: { code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 2 },
            },
          ],
        }),
      }),
    );
    await visitor.page.getByRole('link', { name: 'People' }).click();
    await visitor.page.getByText(/Too many attempts\. Try again in [12] seconds?\./).waitFor();
    await visitor.page.getByText('You can try again now.').waitFor();
    await visitor.context.unroute(isGraphql);
    await visitor.page.getByRole('button', { name: 'Try again' }).click();
    await visitor.page.getByText('Ada Administrator').waitFor();
  });

  it('keeps the loaded transactions and offers to retry when the next page fails', async () => {
    const id = await desk.openCase('Of two pages');
    const visitor = await story.visit();
    const { page } = visitor;
    let failures = 0;
    let isAway = true;
    await visitor.context.route(isGraphql, async (route) => {
      const { query, variables } = route.request().postDataJSON() as {
        query: string;
        variables: { after?: string | null };
      };
      if (!query.includes('query CaseRecords')) return route.continue();
      if (variables.after != null && isAway) {
        failures += 1;
        const error = { message: 'It failed.', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
        return route.fulfill({ json: { data: null, errors: [error] } });
      }
      // Like a gateway with more items than the page requests at once.
      const postData = JSON.stringify({ query, variables: { ...variables, after: null } });
      const response = await route.fetch({ postData });
      const json = (await response.json()) as {
        data: { case: { transactions: { nodes: unknown[]; pageInfo: object } } };
      };
      const { transactions } = json.data.case;
      const [from, to] = variables.after == null ? [0, 2] : [2, 3];
      transactions.nodes = transactions.nodes.slice(from, to);
      transactions.pageInfo = { hasNextPage: from === 0, endCursor: 'more' };
      return route.fulfill({ response, json });
    });
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText('It failed.').waitFor();
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    await page.getByText('2 of 3 loaded').waitFor();
    expect(failures).toBe(1);
    isAway = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('3, all of them').waitFor();
  });

  it('shows that the outcome of an unanswered decision is unknown, sends it once, and then shows the outcome', async () => {
    const id = await desk.ask('Answer that was lost');
    const visitor = await story.visit();
    await visitor.enter(desk.administrator, `/a/payments/requests/${id}`);
    await visitor.page.getByRole('button', { name: 'Close…' }).click();
    let sent = 0;
    await visitor.context.route(isGraphql, async (route) => {
      if (!route.request().postData()?.includes('mutation CloseCaseRequest')) return route.continue();
      sent += 1;
      await route.fetch();
      return route.abort('connectionreset');
    });
    const dialog = visitor.page.getByRole('alertdialog');
    await dialog.getByLabel('Reason').fill('Not needed');
    await dialog.getByRole('button', { name: 'Close the request' }).click();
    await visitor.page.getByText('Decided by').waitFor();
    await visitor.page.getByText('Reason given: Not needed').waitFor();
    expect(sent).toBe(1);
  });
});
