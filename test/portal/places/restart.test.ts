import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { createWallet, startLocalLedger } from '../../../devnet/index.js';
import { dataDirectory, startGateway } from '../../app/gateway-process.js';
import { integrator, newAsset, start } from '../../app/integrator.js';
import { graphql, sessionOf, type TestApp } from '../../kit/app.js';
import { portalStories, within, type Answered } from '../../kit/browser/portal.js';
import { eventually } from '../../kit/eventually.js';
import { freePort } from '../../kit/process/local-server.js';
import { seedOrganization, type SeededUser } from '../../kit/seed.js';
import { openDesk } from '../kit.js';

const HELD = 'globalThis.wasLoadedOnce';

portalStories('a restart of the gateway', (story) => {
  it('is said by open pages, which continue without a reload, and lose and double no row', async () => {
    await using parts = new AsyncDisposableStack();
    const ledger = await startLocalLedger({ blockMs: 20 });
    parts.defer(() => ledger.close());
    const directory = parts.use(await dataDirectory());
    const environment = {
      LUCARNE_PORT: String(await freePort()),
      LUCARNE_DATA_DIR: directory.path,
      LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'),
      LUCARNE_DEMO_DATA: '0',
      SOLANA_RPC_URL: ledger.rpcUrl,
      SOLANA_WS_URL: ledger.wsUrl,
    };
    const { application } = await start(environment);
    await application.initialized;
    const { foundation, url = '' } = application;
    const organization = await seedOrganization(foundation);
    const app = { url, application, organization } as unknown as TestApp;
    const desk = await openDesk(app);
    const { administrator, auditor } = desk;
    const rest = integrator(url, organization.apiKey.secret);
    const { body: asset } = await rest('/v1/assets', 'POST', { ...newAsset, workspaceId: 'payments' });
    const wallet = await createWallet({ rpcUrl: ledger.rpcUrl });
    const auditorPublicKey = base64.decode(asset.auditorElGamalPubkey)!;
    const mint = await wallet.deployMint({ decimals: 2, auditorPublicKey });
    await rest(`/v1/assets/${asset.id}/mint`, 'PATCH', { mintAddress: mint.address });
    const alice = await mint.configureAccount('alice');
    await alice.fund(1_000n);
    await alice.deposit(100n);
    const indexed = async () => (await rest(`/v1/assets/${asset.id}/indexer-status`)).body.indexedCount;
    await eventually(indexed, (count) => count === 2);

    /** Files a request, as the auditor's own page does. */
    const ask = async (reason: string): Promise<string> => {
      const today = new Date().toISOString().slice(0, 10);
      const { data } = await graphql(
        app,
        'mutation ($input: CreateCaseRequestInput!) { createCaseRequest(input: $input) { id } }',
        {
          headers: sessionOf(app, auditor.sessionToken),
          variables: {
            input: {
              ...{ foreignId: 'payments', reason, periodFrom: today, periodTo: today, accessDays: 30 },
              auditorIds: [auditor.principal.userId],
              disclosureFlags: { fullTxIds: true, senderInformation: true, withdrawalDetails: true },
            },
          },
        },
      );
      return within(data, 'createCaseRequest')['id'] as string;
    };
    const caseId = await desk.approve(await ask('Read over a restart'));
    await application[Symbol.asyncDispose]();
    let gateway = await startGateway(environment);
    parts.defer(() => gateway[Symbol.asyncDispose]());

    const open = async (user: SeededUser, place: string): Promise<Page> => {
      const visitor = await story.visit({ baseURL: url });
      await visitor.enter(user, place);
      await visitor.page.evaluate(`${HELD} = true`);
      return visitor.page;
    };
    const log = await open(administrator, '/a/payments/log');
    const ofCase = await open(auditor, `/a/payments/cases/${caseId}`);
    const pages = [log, ofCase];
    await ofCase.getByText('1, all of them').waitFor();
    const entries = log.getByRole('button', { name: /^Entry \d+: Checked here$/ });
    const requested = log.getByText('Ana Auditor requested a case');
    await entries.first().waitFor();
    await log.getByRole('heading', { level: 1 }).hover();
    let deposits = 1;
    let requests = 1;
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      // What is open is followed.
      await ask(`Before ${signal}`);
      requests += 1;
      await requested.nth(requests - 1).waitFor();
      await gateway.kill(signal);
      for (const page of pages) await page.getByText(/^Not (live:|connected since)/).waitFor();
      await alice.deposit(100n);
      deposits += 1;
      gateway = await startGateway(environment);
      // The pages connect again some seconds later.
      await ask(`During ${signal}`);
      requests += 1;
      for (const page of pages)
        await page.getByText(/^Not (live:|connected since)/).waitFor({ state: 'detached' });
      await requested.nth(requests - 1).waitFor();
      await ofCase.getByText(/^1 new transaction/).waitFor();
      await ofCase.getByRole('button', { name: 'Show them' }).click();
      await ofCase.getByText(`${deposits}, all of them`).waitFor();
      await ask(`After ${signal}`);
      requests += 1;
      await requested.nth(requests - 1).waitFor();
      const { data } = await graphql(
        app,
        '{ activityLog(foreignId: "payments", first: 50) { nodes { index } } }',
        { headers: sessionOf(app, administrator.sessionToken) },
      );
      const logged = (within(data, 'activityLog', 'nodes') as unknown as Answered[]).map(
        ({ index }) => index,
      );
      await entries.nth(logged.length - 1).waitFor();
      const names = await entries.evaluateAll((all) =>
        (all as { ariaLabel?: string }[]).map(({ ariaLabel }) => ariaLabel),
      );
      expect(names.map((name) => Number(/\d+/.exec(name ?? '')![0]))).toEqual(logged);
      for (const page of pages) expect(await page.evaluate(HELD)).toBe(true);
    }
  });
});
