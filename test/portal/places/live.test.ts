import { beforeAll, expect, it } from '@jest/globals';
import { connect, createServer, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { failGeneration, insertGeneration } from '../../../src/domain/reports/generation/generation-rows.js';
import { transactionsTopic } from '../../../src/domain/transactions/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { seedMember } from '../../kit/seed.js';
import { portalStories, problemsInEveryLook, until } from '../../kit/browser/portal.js';
import { overSockets } from '../../kit/browser/sockets.js';
import { randomAddress, seedRecords } from '../../kit/ledger/confidential-records.js';
import { listen } from '../../kit/process/local-server.js';
import { openDesk, type Desk } from '../kit.js';

const NOT_LIVE = 'Not live: changes appear after the connection is restored.';

portalStories('what the portal follows', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  const DAY_SECONDS = 86_400;
  let added = 0;
  const addRecord = async (
    type: 'confidential_deposit' | 'confidential_withdraw' = 'confidential_deposit',
  ) => {
    added += 1;
    const { foundation } = story.app.application;
    await seedRecords(foundation, desk.asset, [
      {
        type,
        blockTime: Math.floor(Date.now() / 1_000) - 2 * DAY_SECONDS + added * 60,
        publicData: { amount: '100', authority: randomAddress() },
      },
    ]);
    foundation.signals.publish(transactionsTopic(desk.asset.id));
  };
  const loadedOf = (page: Page, count: number) => page.getByText(`${3 + count}, all of them`).waitFor();

  it('shows a change between the first read of a later screen and the start of its subscription', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    const sockets = await overSockets(page);
    await visitor.enter(desk.administrator, '/account');
    await page.getByRole('heading', { level: 1, name: 'Ada Administrator' }).waitFor();
    await sockets.isAsked('PendingWorkChanged');
    sockets.hold();
    await page.getByRole('link', { name: /^Case requests/ }).click();
    await page.getByText('No request is pending.').waitFor();
    await sockets.isAsked('CaseRequestChanged');
    await desk.ask('Asked before the page follows');
    await page.getByRole('link', { name: 'Case requests 1 waiting' }).waitFor();
    expect(await page.getByRole('link', { name: 'Asked before the page follows' }).count()).toBe(0);
    sockets.release();
    await page.getByRole('link', { name: 'Asked before the page follows' }).waitFor();
  });

  it('shows a change that is announced while a list is read for the first time', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    const sockets = await overSockets(page);
    await visitor.enter(desk.administrator, '/account');
    await page.getByRole('heading', { level: 1, name: 'Ada Administrator' }).waitFor();
    const [read, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let reads = 0;
    await page.route('**/graphql', async (route) => {
      const isRead = route.request().postData()?.includes('query DisclosureRegistry(') === true;
      if (!isRead || (reads += 1) > 1) return route.fallback();
      const response = await route.fetch();
      read.resolve(undefined);
      await released.promise;
      await route.fulfill({ response });
    });
    await page.getByRole('link', { name: /^Case requests/ }).click();
    await read.promise;
    await sockets.isAsked('CaseRequestChanged');
    // What is asked for before the gateway follows the requests is not announced.
    let asked = 0;
    while (!sockets.isTold('caseRequestChanged')) {
      await desk.ask(`Asked while the list was read, ${(asked += 1)}`);
      await page.waitForTimeout(1_000);
    }
    expect(reads).toBe(1);
    released.resolve(undefined);
    await page.getByRole('link', { name: `Asked while the list was read, ${asked}` }).waitFor();
  });

  it('announces a transaction that is added between the first read of a case and the start of its subscription', async () => {
    const before = added;
    const id = await desk.openCase('Grows before it is followed');
    const visitor = await story.visit();
    const { page } = visitor;
    const sockets = await overSockets(page);
    await visitor.enter(desk.auditor, '/a/payments/cases');
    const link = page.getByRole('link', { name: 'Grows before it is followed' });
    await link.waitFor();
    await sockets.isAsked('CaseChanged');
    sockets.hold();
    await link.click();
    await page.waitForURL(`**/${id}`);
    await loadedOf(page, before);
    await sockets.isAsked('CaseTransactionAdded');
    await addRecord();
    sockets.release();
    await page.getByText(/^1 new transaction/).waitFor();
    await page.getByRole('button', { name: 'Show them' }).click();
    await loadedOf(page, before + 1);
    await page.getByText(/^1 new transaction/).waitFor({ state: 'detached' });
  });

  it('announces it in a filtered list, too, and nothing that the filter leaves out', async () => {
    await addRecord();
    const id = await desk.openCase('Grows while it is filtered');
    const visitor = await story.visit();
    const { page } = visitor;
    const sockets = await overSockets(page);
    await visitor.enter(desk.auditor, '/a/payments/cases');
    const link = page.getByRole('link', { name: 'Grows while it is filtered' });
    await link.waitFor();
    await sockets.isAsked('CaseChanged');
    sockets.hold();
    await link.click();
    await page.waitForURL(`**/${id}`);
    await loadedOf(page, added);
    await page.getByLabel('Type').selectOption({ label: 'Deposit' });
    const whole = page.getByText(/^\d+, all of them$/);
    await page.getByText(`${added}, all of them`, { exact: true }).waitFor();
    await sockets.isAsked('CaseTransactionAdded', 2);
    await addRecord();
    sockets.release();
    await page.getByText(/^1 new transaction/).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Show them' }).click();
    await page.getByText(`${added}, all of them`, { exact: true }).waitFor();
    await page.getByText(/^1 new transaction/).waitFor({ state: 'detached' });

    await page.getByLabel('Type').selectOption({ label: 'Withdrawal' });
    await whole.waitFor();
    const withdrawals = Number.parseInt(await whole.innerText(), 10);
    await addRecord();
    await addRecord('confidential_withdraw');
    await page.getByText(/^1 new transaction/).waitFor();
    await page.getByRole('button', { name: 'Show them' }).click();
    await page.getByText(`${withdrawals + 1}, all of them`, { exact: true }).waitFor();
  });

  it.each(['UNAVAILABLE', 'UNAUTHENTICATED'])(
    'follows the transactions of a case again after %s, and announces each new one once',
    async (code) => {
      const before = added;
      const id = await desk.openCase(`Ended with ${code}`);
      const visitor = await story.visit();
      const { page } = visitor;
      const sockets = await overSockets(page);
      await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
      await loadedOf(page, before);
      await sockets.isAsked('CaseTransactionAdded');
      sockets.end('CaseTransactionAdded', code);
      await addRecord();
      await page.getByText(/^1 new transaction/).waitFor();
      await page.getByRole('button', { name: 'Show them' }).click();
      await loadedOf(page, before + 1);
      await addRecord();
      await page.getByText(/^1 new transaction/).waitFor();
      await page.getByRole('button', { name: 'Show them' }).click();
      await loadedOf(page, before + 2);
      expect(await page.getByText('more than once').count()).toBe(0);
    },
  );

  it('reads a case again whose transactions are said to be gone, and follows it again if it is open', async () => {
    const before = added;
    const id = await desk.openCase('Said to be gone');
    const visitor = await story.visit();
    const { page } = visitor;
    const sockets = await overSockets(page);
    let reads = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('query Case(')) reads += 1;
    });
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await loadedOf(page, before);
    await sockets.isAsked('CaseTransactionAdded');
    // The second is of what was missed before the case was followed.
    while (reads < 2) await page.waitForTimeout(20);
    sockets.end('CaseTransactionAdded', 'NOT_FOUND');
    await sockets.isAsked('CaseTransactionAdded', 2);
    await loadedOf(page, before);
    await addRecord();
    await page.getByText(/^1 new transaction/).waitFor();
  });

  it('notices that a permission is gone while nobody is there, when a subscription is refused', async () => {
    const { application, organization } = story.app;
    const { common, administrator } = PERMISSIONS;
    const member = await seedMember(
      application.foundation,
      organization.organization.id,
      { applications: [{ foreignId: 'payments', common, administrator }] },
      'Lou Loses',
    );
    const visitor = await story.visit();
    const { page } = visitor;
    const sockets = await overSockets(page);
    await page.clock.install();
    await visitor.enter(member, '/a/payments/requests');
    await sockets.isAsked('CaseRequestChanged');
    // Nothing is read again by itself.
    await page.clock.fastForward(6 * 60_000);
    await sockets.away(async () => {
      await page.getByText(NOT_LIVE).waitFor();
      await desk.permit(member, [], [{ foreignId: 'payments', common }]);
    });
    await page.getByText('Your permissions were changed.').waitFor();
  });

  it('says that a report failed, after the gateway had no room to say so', async () => {
    const { application, organization } = story.app;
    const generation = {
      ...{
        id: newId('rpt'),
        organizationId: organization.organization.id,
        applicationId: null,
        caseId: null,
      },
      ...{ reportType: 'activity_log' as const, requestedBy: desk.everything.principal.userId },
      requestedAt: application.foundation.clock.now(),
    };
    await insertGeneration(application.foundation.database, generation, 'lease', () => Promise.resolve());
    const visitor = await story.visit();
    const { page } = visitor;
    const sockets = await overSockets(page);
    await visitor.enter(desk.everything, '/organization/reports');
    const report = page.getByRole('status').filter({ hasText: 'Activity log' });
    await report.getByText('The report is being created').waitFor();
    sockets.end('ReportProgress', 'UNAVAILABLE');
    await failGeneration(application.foundation, generation.id, 'lease', 'The disk is full.');
    await report.getByText('The report failed. The disk is full.').waitFor();
  });

  /** A way to the gateway that passes HTTP, and can swallow what concerns WebSockets. */
  async function openWay() {
    const { hostname, port } = new URL(story.app.url);
    const way = { url: '', swallowsHandshakes: false, isFrozen: false };
    const open = new Set<Socket>();
    const server = createServer((page) => {
      const gateway = connect(Number(port), hostname);
      for (const socket of [page, gateway]) {
        open.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => open.delete(socket));
      }
      let isSocket = false;
      page.on('data', (bytes: Buffer) => {
        isSocket ||= /^upgrade: websocket/im.test(bytes.toString('latin1'));
        if (isSocket && (way.swallowsHandshakes || way.isFrozen)) return;
        // The gateway knows its own origin.
        gateway.write(bytes.toString('latin1').replaceAll(way.url, story.app.url), 'latin1');
      });
      gateway.on('data', (bytes: Buffer) => {
        if (!isSocket || !way.isFrozen) page.write(bytes);
      });
      page.on('close', () => gateway.destroy());
      gateway.on('close', () => page.destroy());
    });
    way.url = `http://127.0.0.1:${await listen(server)}`;
    return Object.assign(way, {
      async [Symbol.asyncDispose]() {
        for (const socket of open) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    });
  }
  it('says that it is not live if the handshake of its socket is not answered, and tries again', async () => {
    await using way = await openWay();
    way.swallowsHandshakes = true;
    const visitor = await story.visit({ baseURL: way.url });
    const { page } = visitor;
    await page.clock.install();
    const socket = page.waitForEvent('websocket');
    await visitor.enter(desk.administrator, '/a/payments/requests');
    await socket;
    await page.getByRole('heading', { level: 1, name: 'Case requests' }).waitFor();
    expect(await page.getByText(NOT_LIVE).count()).toBe(0);
    await page.clock.runFor(10_000);
    await page.getByText(NOT_LIVE).waitFor();
    expect(await problemsInEveryLook(visitor)).toEqual([]);
    way.swallowsHandshakes = false;
    await page.clock.runFor(5_000);
    await page.getByText(NOT_LIVE).waitFor({ state: 'detached' });
    await page.mouse.move(9, 9);
    await desk.ask('Asked after the handshake');
    await page.getByRole('link', { name: 'Asked after the handshake' }).waitFor();
  });

  it('says that it is not live if its open socket is answered no more, and shows what it missed', async () => {
    await using way = await openWay();
    const visitor = await story.visit({ baseURL: way.url });
    const { page } = visitor;
    await page.clock.install();
    let frames = 0;
    page.on('websocket', (socket) => socket.on('framereceived', () => (frames += 1)));
    await visitor.enter(desk.administrator, '/a/payments/requests');
    await page.getByRole('heading', { level: 1, name: 'Case requests' }).waitFor();
    await page.mouse.move(9, 9);
    // It is open, and follows.
    while (frames < 2) await page.waitForTimeout(20);
    way.isFrozen = true;
    await desk.ask('Asked in silence');
    await page.clock.runFor(31_000);
    await page.getByText(NOT_LIVE).waitFor();
    way.isFrozen = false;
    await page.clock.runFor(5_000);
    await page.getByText(NOT_LIVE).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Asked in silence' }).waitFor();
    await until(page, 'document.querySelector("[aria-busy=true]") === null');
  });
});
