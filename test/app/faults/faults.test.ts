import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { sql, type Database } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { createWallet, startLocalLedger, type LocalLedger, type Wallet } from '../../../devnet/index.js';
import { temporaryDirectory } from '../gateway-process.js';
import { integrator, newAsset, start } from '../integrator.js';
import { eventually } from '../../kit/eventually.js';
import { bearer, startTestApp, type TestApp } from '../../kit/app.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { startDatabaseProxy, type DatabaseProxy } from '../../kit/database/database-proxy.js';
import { startFaultLedger, type FaultLedger } from '../../kit/ledger/fault-ledger.js';
import { seedOrganization, type SeededOrganization } from '../../kit/seed.js';
import { describeOnPostgresql } from '../../kit/database/on-postgresql.js';

interface Added {
  readonly data: { readonly transactionAdded: { readonly cursor: string } };
}

async function metric(url: string, line: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `));
  return Number(found?.split(' ').at(-1) ?? 0);
}

describe('a gateway whose ledger fails', () => {
  let localLedger: LocalLedger;
  let node: FaultLedger;
  let wallet: Wallet;
  let app: TestApp;
  let ask: ReturnType<typeof integrator>;

  beforeAll(async () => {
    localLedger = await startLocalLedger({ blockMs: 20 });
    node = await startFaultLedger({ upstream: localLedger });
    wallet = await createWallet({ rpcUrl: localLedger.rpcUrl });
    // Unreachable before the gateway starts.
    await node.goDown();
    app = await startTestApp({ SOLANA_RPC_URL: node.rpcUrl, SOLANA_WS_URL: node.wsUrl });
    ask = integrator(app.url, app.organization.apiKey.secret);
  }, 480_000);
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await node[Symbol.asyncDispose]();
    await localLedger.close();
  }, 480_000);

  const failures = (reason: string) => metric(app.url, `lucarne_indexer_failures_total{reason="${reason}"}`);
  const statusOf = async (id: string) =>
    (await ask(`/v1/assets/${id}/indexer-status`)).body as unknown as Record<string, unknown>;
  const until = (id: string, expected: Record<string, unknown>) =>
    eventually(
      () => statusOf(id),
      (status) => Object.entries(expected).every(([member, value]) => status[member] === value),
    );

  it('stays up, reports the failure everywhere, still binds mints, and catches up', async () => {
    expect((await ask('/readyz')).status).toBe(200);
    const { body: asset } = await ask('/v1/assets', 'POST', newAsset);
    const auditorPublicKey = base64.decode(asset.auditorElGamalPubkey)!;
    const mint = await wallet.deployMint({ decimals: 2, auditorPublicKey });
    const bound = await ask(`/v1/assets/${asset.id}/mint`, 'PATCH', { mintAddress: mint.address });
    expect(bound).toMatchObject({ status: 200, body: { status: 'active' } });

    const held = await until(asset.id, { status: 'pending', reason: 'ledger_unreachable' });
    expect(held).toMatchObject({ registered: false, indexedCount: 0 });
    expect(await failures('ledger_unreachable')).toBeGreaterThan(0);
    expect(app.logged()).toMatch(/"reason":"ledger_unreachable".*Indexing of the mint is delayed/);
    expect((await ask('/readyz')).status).toBe(200);

    await mint.configureAccount('alice');
    await node.comeBack();
    expect(await until(asset.id, { status: 'active', indexedCount: 1 })).toMatchObject({
      registered: true,
    });
    expect(app.logged()).toContain('The mint is indexed.');

    // Becomes unreachable while the gateway runs.
    await node.goDown();
    await mint.configureAccount('bob');
    await until(asset.id, { status: 'pending', reason: 'ledger_unreachable' });
    const listed = await ask(`/v1/assets/${asset.id}/transactions`);
    expect(listed).toMatchObject({ status: 200, body: { transactions: [{}] } });
    await node.comeBack();
    await until(asset.id, { status: 'active', indexedCount: 2 });

    // Returns nonsense: the page of a proxy, JSON of another form.
    for (const fault of [
      { kind: 'body', body: '<html>Welcome</html>' },
      { kind: 'result', result: { unexpected: true } },
    ] as const) {
      node.fail('*', fault);
      await mint.configureAccount();
      await until(asset.id, { status: 'pending', reason: 'ledger_nonsense' });
      expect(await failures('ledger_nonsense')).toBeGreaterThan(0);
      node.heal();
      await until(asset.id, { status: 'active' });
    }
    await until(asset.id, { status: 'active', indexedCount: 4 });
    const { transactions } = (await ask(`/v1/assets/${asset.id}/transactions`)).body;
    expect(new Set(transactions.map(({ networkTransactionId }) => networkTransactionId)).size).toBe(4);
  }, 480_000);
});

// PGlite runs in the process, so it cannot be unavailable while the gateway runs.
describeOnPostgresql('a gateway whose PostgreSQL becomes unavailable', () => {
  let database: Database & { readonly url?: string };
  let proxy: DatabaseProxy;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let ledger: LocalLedger;
  let gateway: Awaited<ReturnType<typeof start>>;
  let acme: SeededOrganization;
  let ask: ReturnType<typeof integrator>;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database.url!);
    directory = await temporaryDirectory();
    ledger = await startLocalLedger({ blockMs: 20 });
    // Unavailable before the start.
    await proxy.cut();
    gateway = await start({
      DATABASE_URL: proxy.url,
      LUCARNE_DATA_DIR: directory.path,
      LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'),
      SOLANA_RPC_URL: ledger.rpcUrl,
      SOLANA_WS_URL: ledger.wsUrl,
    });
    url = gateway.application.url!;
  }, 480_000);
  afterAll(async () => {
    await gateway.application[Symbol.asyncDispose]();
    await ledger.close();
    await proxy[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  }, 480_000);

  it('waits for the ledger at startup: it is alive, not ready, and answers 503 to everyone', async () => {
    ask = integrator(url, 'lck_any');
    expect((await ask('/livez')).status).toBe(200);
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      body: { checks: { database: 'unreachable' } },
    });
    const refused = await ask('/v1/assets', 'POST', newAsset);
    expect(refused).toMatchObject({ status: 503, body: { error: 'Service Unavailable' } });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    // The reason shows wallets that the package itself was not refused.
    expect(await ask('/api/relay-requests', 'POST', { version: 1 })).toMatchObject({
      status: 503,
      body: { reason: 'relayer_unavailable' },
    });
    await eventually(
      () => Promise.resolve(gateway.logged()),
      (logged) => logged.includes('Waiting for the database and its keys.'),
    );
    await proxy.restore();
    await gateway.application.initialized;
    await eventually(
      () => ask('/readyz'),
      ({ status }) => status === 200,
    );
  });

  it('answers 503 while the ledger is down, and recovers without a restart', async () => {
    const { foundation } = gateway.application;
    acme = await seedOrganization(foundation);
    ask = integrator(url, acme.apiKey.secret);
    const { body: asset } = await ask('/v1/assets', 'POST', newAsset);
    const wallet = await createWallet({ rpcUrl: ledger.rpcUrl });
    const auditorPublicKey = base64.decode(asset.auditorElGamalPubkey)!;
    const mint = await wallet.deployMint({ decimals: 2, auditorPublicKey });
    await ask(`/v1/assets/${asset.id}/mint`, 'PATCH', { mintAddress: mint.address });
    await mint.configureAccount('alice');
    const count = async () => (await ask(`/v1/assets/${asset.id}/indexer-status`)).body.indexedCount;
    await eventually(count, (indexed) => indexed === 1);
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: bearer(acme.apiKey.secret),
      retryAttempts: 0,
    });
    const query = `subscription ($id: ID!, $after: String) {
        transactionAdded(assetId: $id, after: $after) { cursor transaction { id } } }`;
    const events = client.iterate({ query, variables: { id: asset.id } });
    let arrived: Added | undefined;
    const first = events.next().then(({ value }) => (arrived = value as Added));
    let configured = 1;
    // From now on, events that are added arrive.
    while (arrived === undefined) {
      await mint.configureAccount();
      configured += 1;
      await eventually(count, (indexed) => indexed === configured);
    }
    const { cursor } = (await first).data.transactionAdded;
    const broken = (async () => {
      let next = await events.next();
      while (!next.done) next = await events.next();
    })();
    const isBroken = expect(broken).rejects.toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);

    await proxy.cut();
    for (const path of [`/v1/assets/${asset.id}`, `/v1/assets/${asset.id}/transactions`]) {
      expect([path, (await ask(path)).status]).toEqual([path, 503]);
    }
    // An answer about readiness is kept for a second.
    await eventually(
      () => ask('/readyz'),
      ({ status }) => status === 503,
    );
    expect((await ask('/livez')).status).toBe(200);
    expect(await ask('/v1/assets', 'POST', newAsset)).toMatchObject({ status: 503 });
    const overGraphql = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { ...bearer(acme.apiKey.secret), 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ assets { nodes { id } } }' }),
    });
    expect(overGraphql.status).toBe(503);
    expect(await overGraphql.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
    // A subscription that cannot read reports it, and can be resumed after its cursor.
    await isBroken;
    expect(gateway.logged()).not.toMatch(/postgres:\/\//);
    await mint.configureAccount('bob');

    await proxy.restore();
    await eventually(
      () => ask('/readyz'),
      ({ status }) => status === 200,
    );
    await eventually(count, (indexed) => indexed === configured + 1);
    expect((await ask('/v1/assets', 'POST', newAsset)).status).toBe(201);
    const again = client.iterate({ query, variables: { id: asset.id, after: cursor } });
    expect((await again.next()).value).toMatchObject({ data: { transactionAdded: {} } });
    await client.dispose();
  }, 180_000);
});

describe('a gateway that starts with a wrong master key', () => {
  it('serves no requests, reports the reason, and changes nothing', async () => {
    await using directory = await temporaryDirectory();
    await using database = await createTestDatabase();
    await using ledger = await startLocalLedger();
    const environment = {
      LUCARNE_DATA_DIR: directory.path,
      SOLANA_RPC_URL: ledger.rpcUrl,
      SOLANA_WS_URL: ledger.wsUrl,
      ...(database.url === undefined ? {} : { DATABASE_URL: database.url }),
    };
    const right = { ...environment, LUCARNE_MASTER_KEY: randomBytes(32).toString('base64') };
    const wrong = { ...environment, LUCARNE_MASTER_KEY: randomBytes(32).toString('base64') };
    const first = await start(right, database);
    await first.application.initialized;
    const acme = await seedOrganization(first.application.foundation);
    const { status } = await integrator(first.application.url!, acme.apiKey.secret)(
      '/v1/assets',
      'POST',
      newAsset,
    );
    expect(status).toBe(201);
    const other = await seedOrganization(first.application.foundation, { name: 'Other' });
    await first.application[Symbol.asyncDispose]();
    const sealed = () =>
      database.rows(
        sql`select organization_id, epoch, sealed_secret from auditor_keys order by organization_id, epoch`,
      );
    const check = () => database.rows(sql`select value from settings where name = 'master_key_check'`);
    const before = { sealed: await sealed(), check: await check() };

    // The check is delayed, so that requests arrive before it has ended.
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const second = await start(wrong, {
      ...database,
      migrate: async () => {
        await held;
        return database.migrate();
      },
    });
    const ask = integrator(second.application.url!, other.apiKey.secret);
    // The first key of this organization would be sealed with the wrong master key.
    expect(await ask('/v1/assets', 'POST', newAsset)).toMatchObject({
      status: 503,
      body: { message: 'The gateway is starting.' },
    });
    expect(await ask('/readyz')).toMatchObject({ status: 503, body: { checks: { accepting: 'starting' } } });
    goOn();
    await expect(second.application.initialized).rejects.toThrow(
      /does not open this database.*Nothing was changed/,
    );
    expect((await ask('/v1/assets', 'POST', newAsset)).status).toBe(503);
    await second.application[Symbol.asyncDispose]();
    expect({ sealed: await sealed(), check: await check() }).toEqual(before);

    const third = await start(right, database);
    await third.application.initialized;
    const answer = await integrator(third.application.url!, other.apiKey.secret)(
      '/v1/assets',
      'POST',
      newAsset,
    );
    expect(answer.status).toBe(201);
    await third.application[Symbol.asyncDispose]();
  }, 480_000);
});
