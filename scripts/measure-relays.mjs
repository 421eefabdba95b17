// What the door of the relayer holds and carries, after `npm run build`:
//   DATABASE_URL=postgres://…/an_empty_database npx node --expose-gc scripts/measure-relays.mjs [subscribers] [packages]
// Subscribers are WebSocket connections of another process, each to one of a hundred requests. While the requests change,
// all of them are cut off and come back. Submissions are set beside bare inserts and the proof check alone: so many at a
// time, and then ten a second over HTTP, for what is added to the check within them and to the insert beside them.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import os from 'node:os';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout } from 'node:timers';
import 'reflect-metadata';

const REQUESTS = 100;
const TOGETHER = 32;
const CHANGES = [
  { to: 'validating' },
  { to: 'queued', attemptNumber: 1 },
  { to: 'submitted' },
  { to: 'reconciling' },
  { to: 'succeeded' },
];

if (process.env['MEASURED_URL'] === undefined) await measure();
else await subscribe();

async function measure() {
  const [subscribers = '5000', packages = '300'] = process.argv.slice(2);
  const url = process.env['DATABASE_URL'];
  if (url === undefined) throw new Error('DATABASE_URL must name an empty database.');
  const dist = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);
  const { connectDatabase, inProcessSignals } = await dist('database/index.js');
  const { entities } = await dist('entities.js');
  const { createProofPool, createSealer } = await dist('crypto/index.js');
  const { createRelayDesk, parsePoolsFile } = await dist('relays/index.js');
  const { LOCAL_POOLS_FILE } = await dist('localnet/index.js');
  const { systemClock } = await dist('kernel/clock.js');
  const { systemRandom } = await dist('kernel/random.js');
  const { silentLog } = await dist('kernel/log.js');

  await using parts = new AsyncDisposableStack();
  const database = parts.use(await connectDatabase({ entities, target: { url } }));
  await database.migrate();
  const foundation = {
    database,
    signals: parts.use(inProcessSignals()),
    clock: systemClock,
    random: systemRandom,
    sealer: createSealer(randomBytes(32)),
    log: silentLog,
  };
  const workers = Math.max(1, os.availableParallelism() - 1);
  const proofs = timed(parts.use(createProofPool({ workers, queueLimit: 1_000 })));
  const pools = await parsePoolsFile(LOCAL_POOLS_FILE, () => undefined);
  const desk = parts.use(
    createRelayDesk(foundation, {
      pools,
      proofs,
      nodes: { nodes: [{ balance: () => Promise.resolve({ slot: 1, lamports: 1e12 }) }] },
      relayer: { address: '11111111111111111111111111111111' },
      limits: { perClient: 1e9, perPool: 1e9, queue: 1e6 },
    }),
  );
  const served = await serve(dist, { foundation, desk, parts });
  await measureSubmissions(dist, { database, desk, proofs, pools, workers }, Number(packages));
  await measureLatency(dist, { database, proofs, url: served }, Number(packages));
  await measureSubscribers(dist, { foundation, desk, url: served }, Number(subscribers));
}

/** The pool, which tells how long its last check took, in milliseconds. */
function timed(pool) {
  const timing = {
    lastMilliseconds: 0,
    verify: async (...asked) => {
      const begun = performance.now();
      const holds = await pool.verify(...asked);
      timing.lastMilliseconds = performance.now() - begun;
      return holds;
    },
  };
  return timing;
}

async function measureSubmissions(dist, { database, desk, proofs, pools, workers }, count) {
  const { submitRelay } = await dist('relays/submit-relay.js');
  const { parseRelayPackage } = await dist('relays/relay-package.js');
  const { sql } = await dist('database/index.js');
  const { LOCAL_POOL_SELECTOR } = await dist('localnet/index.js');
  const { key } = pools.get(LOCAL_POOL_SELECTOR).circuits.get('3');
  const warm = (await packagesOf(dist, 1))[0];
  await submitRelay(desk, 'warm', warm);
  await database.rows(sql`create table measured_inserts (
    program_id text, nullifier bytea, request_id text, primary key (program_id, nullifier))`);
  const insert = insertInto(database, sql);
  for (let round = 1; round <= 3; round += 1) {
    const given = await packagesOf(dist, count);
    const parsed = given.map(parseRelayPackage);
    const bare = await rateOf(given, insert);
    const checks = await rateOf(parsed, (one) => proofs.verify(key, one));
    const admitted = await rateOf(given, (one) => submitRelay(desk, '192.0.2.1', one));
    const repeated = await rateOf(given, (one) => submitRelay(desk, '192.0.2.1', one));
    print({ round, packages: count, proofThreads: workers, perSecond: { bare, checks, admitted, repeated } });
  }
}

function insertInto(database, sql) {
  return () =>
    database.rows(sql`insert into measured_inserts values ('pool', ${randomBytes(32)}, 'request')
      on conflict do nothing returning request_id`);
}

/** One submission at a time, ten a second. */
async function measureLatency(dist, { database, proofs, url }, count) {
  const { sql } = await dist('database/index.js');
  const insert = insertInto(database, sql);
  const query = `mutation ($package: JSON!) { submitRelayRequest(package: $package) { relayRequestId status } }`;
  const submit = async (given) => {
    const body = JSON.stringify({ query, variables: { package: given } });
    const headers = { 'content-type': 'application/json' };
    const answer = await globalThis.fetch(url.replace('ws:', 'http:'), { method: 'POST', headers, body });
    const { data } = await answer.json();
    if (data?.submitRelayRequest.status !== 'accepted') throw new Error('A submission was not accepted.');
  };
  const measured = { submission: [], check: [], insert: [], added: [] };
  for (const given of await packagesOf(dist, count)) {
    const turn = new Promise((resolve) => setTimeout(resolve, 100));
    const inserting = await millisecondsOf(insert);
    const submitting = await millisecondsOf(() => submit(given));
    measured.submission.push(submitting);
    measured.check.push(proofs.lastMilliseconds);
    measured.insert.push(inserting);
    measured.added.push(submitting - proofs.lastMilliseconds - inserting);
    await turn;
  }
  const quantiles = Object.fromEntries(
    Object.entries(measured).map(([name, all]) => [
      name,
      { p50: quantile(all, 0.5), p99: quantile(all, 0.99) },
    ]),
  );
  print({ submissionsPerSecond: 10, milliseconds: quantiles });
}

async function millisecondsOf(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function quantile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(10 * sorted[Math.floor(share * (sorted.length - 1))]) / 10;
}

async function measureSubscribers(dist, { foundation, desk, url }, subscribers) {
  const { submitRelay } = await dist('relays/submit-relay.js');
  const { changeStatus } = await dist('relays/change-status.js');
  const { findRelay } = await dist('relays/relay.js');
  const views = await Promise.all(
    (await packagesOf(dist, REQUESTS)).map((one) => submitRelay(desk, '192.0.2.1', one)),
  );
  const ids = views.map(({ relayRequestId }) => relayRequestId);
  const child = fork(import.meta.filename, [String(subscribers), ...ids], {
    env: { ...process.env, MEASURED_URL: url },
  });
  const told = async (kind) => {
    for (;;) {
      const [message] = await once(child, 'message');
      if (message.kind === kind) return message;
    }
  };
  const ask = async (kind) => {
    const answer = told(kind);
    child.send(kind);
    return answer;
  };
  await told('started');
  const before = memory();
  await ask('all subscribed');
  const after = memory();
  const perSubscriber = Object.fromEntries(
    Object.keys(before).map((name) => [name, Math.round((after[name] - before[name]) / subscribers)]),
  );
  print({ subscribers, bytesPerSubscriber: perSubscriber, feed: desk.feed.stats });

  for (const change of CHANGES) {
    const { reads } = desk.feed.stats;
    const delivered = told(`delivered ${change.to}`);
    const begun = performance.now();
    await Promise.all(
      ids.map((id) =>
        foundation.database.transaction(async (transaction) =>
          changeStatus(transaction, foundation, await findRelay(transaction, id), {
            evidence: {},
            ...change,
          }),
        ),
      ),
    );
    const changed = performance.now();
    // The third change is told while everybody is cut off.
    if (change.to === 'submitted') child.send('cut');
    await delivered;
    const last = performance.now();
    print({
      change: change.to,
      milliseconds: { changing: Math.round(changed - begun), lastTold: Math.round(last - begun) },
      reads: desk.feed.stats.reads - reads,
    });
  }
  const { kind, ...outcome } = await ask('outcome');
  print({ [kind]: outcome });
  child.disconnect();
  await once(child, 'exit');
}

async function serve(dist, { foundation, desk, parts }) {
  const { createHttpServer, createLogger, createMetrics } = await dist('operations/index.js');
  const { createContextFactory, executableSchema, registerGraphql, registerGraphqlWebSocket } =
    await dist('graphql/index.js');
  const { createAuthenticator } = await dist('organizations/index.js');
  const { relayResolvers } = await dist('relays/index.js');
  const log = createLogger({ level: 'error', instanceId: 'measured' });
  const server = await createHttpServer({ log, metrics: createMetrics(), trustProxy: 'loopback' });
  const http = {
    authenticator: parts.use(createAuthenticator(foundation)),
    publicUrl: undefined,
    port: () => server.server.address().port,
    started: () => true,
    trustProxy: 'loopback',
  };
  const schema = executableSchema(relayResolvers(desk));
  const graphql = { schema, contextFor: createContextFactory(http), log, development: false };
  await registerGraphql(server, graphql);
  registerGraphqlWebSocket(server, { ...graphql, ...http });
  await server.listen({ host: '127.0.0.1', port: 0 });
  parts.defer(() => server.close());
  return `ws://127.0.0.1:${http.port()}/graphql`;
}

/** The other process: every subscriber a connection of its own, from addresses of a hundred each. */
async function subscribe() {
  const { WebSocket } = await import('ws');
  const url = process.env['MEASURED_URL'];
  const [count, ...ids] = process.argv.slice(2);
  const query = `subscription ($id: String!, $after: Int) {
    relayStatus(relayRequestId: $id, after: $after) { sequence status } }`;
  const subscribers = Array.from({ length: Number(count) }, (_, at) => ({
    id: ids[at % ids.length],
    address: `198.51.${Math.floor(at / 100)}.1`,
    seen: [],
    socket: undefined,
  }));
  const delivered = new Map();
  let reconnects = 0;

  const connect = (one) =>
    new Promise((resolve) => {
      const headers = { 'x-forwarded-for': one.address };
      const socket = new WebSocket(url, ['graphql-transport-ws'], { headers });
      const send = (message) => socket.send(JSON.stringify(message));
      one.socket = socket;
      socket.on('open', () => send({ type: 'connection_init' }));
      socket.on('error', () => undefined);
      socket.on('message', (data) => {
        const { type, payload } = JSON.parse(data.toString());
        const variables = { id: one.id, after: one.seen.at(-1) ?? 0 };
        if (type === 'connection_ack') send({ id: '1', type: 'subscribe', payload: { query, variables } });
        if (type !== 'next') return;
        const { sequence, status } = payload.data.relayStatus;
        one.seen.push(sequence);
        resolve();
        const reached = (delivered.get(status) ?? 0) + 1;
        delivered.set(status, reached);
        if (reached === subscribers.length) process.send({ kind: `delivered ${status}` });
      });
      // Whoever is cut off comes back behind what it saw, a moment later.
      socket.on('close', (code) => {
        resolve();
        if (code === 1000 || !process.connected) return;
        reconnects += 1;
        setTimeout(() => void connect(one), Math.random() * 500);
      });
    });

  process.on('message', async (message) => {
    if (message === 'all subscribed') {
      for (let from = 0; from < subscribers.length; from += 100)
        await Promise.all(subscribers.slice(from, from + 100).map(connect));
      process.send({ kind: message });
    } else if (message === 'cut') for (const { socket } of subscribers) socket.terminate();
    else if (message === 'outcome') {
      const all = CHANGES.length + 1;
      const lost = subscribers.reduce((sum, { seen }) => sum + all - new Set(seen).size, 0);
      const doubled = subscribers.reduce((sum, { seen }) => sum + seen.length - new Set(seen).size, 0);
      const unordered = subscribers.filter(({ seen }) => seen.some((at, index) => at !== index + 1)).length;
      process.send({ kind: 'outcome', reconnects, lost, doubled, unordered });
    }
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ kind: 'started' });
}

async function packagesOf(dist, count) {
  const { LOCAL_POOL_CIRCUIT, LOCAL_POOL_SELECTOR } = await dist('localnet/index.js');
  const word = (value) => value.toString(16).padStart(64, '0');
  return Array.from({ length: count }, () => {
    const nullifiers = [0, 1].map(() => BigInt(`0x${randomBytes(31).toString('hex')}`));
    const signals = [7n, 0n, 9n, ...nullifiers, 1n, 2n];
    return {
      version: 1,
      poolSelector: LOCAL_POOL_SELECTOR,
      zkConfigNonce: '3',
      proofBytes: Buffer.from(LOCAL_POOL_CIRCUIT.prove(signals, word(nullifiers[0]))).toString('hex'),
      publicSignals: signals.map(word),
      applicationIdHints: [],
    };
  });
}

/** How many a second, so many at a time. */
async function rateOf(items, work) {
  const begun = performance.now();
  const waiting = [...items];
  const run = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: TOGETHER }, run));
  return Math.round((items.length * 10_000) / (performance.now() - begun)) / 10;
}

function memory() {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed, external };
}

function print(figures) {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
