// A relay worker in a separate process. It ends after the end of its last request, or kills itself after a chosen number of
// points: writes to the database and calls of the ledger that have ended. Reads its orders, one line of JSON, from standard
// input, and prints each point to standard output.
import 'reflect-metadata';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import path from 'node:path';

const dist = path.resolve(import.meta.dirname, '../../../../dist/src');
const load = (file) => import(path.join(dist, file));
const { connectDatabase } = await load('platform/database/index.js');
const { inProcessSignals, postgresqlSignals, redisSignals } = await load('platform/signals/index.js');
const { createLedgerNodes } = await load('platform/ledger/index.js');
const { createSealer } = await load('platform/crypto/index.js');
const { createKeptSigningKeys } = await load('platform/keys/index.js');
const { createCheckDesk } = await load('domain/checks/index.js');
const { createRegistry } = await load('platform/http/index.js');
const relays = await load('domain/relays/index.js');
const { systemClock } = await load('platform/kernel/clock.js');
const { silentLog } = await load('platform/kernel/log.js');
const { systemRandom } = await load('platform/kernel/random.js');

let text = '';
process.stdin.on('data', (data) => void (text += data));
await once(process.stdin, 'end');
const orders = JSON.parse(text);
const { databaseUrl, rpcUrl, keyPair, masterKey, pools, timing, signalsUrl, killAt, requests = 1 } = orders;

let passed = 0;
function pass(point) {
  passed += 1;
  writeSync(1, `${point}\n`);
  if (passed === killAt) process.kill(process.pid, 'SIGKILL');
}

const connected = await connectDatabase({ entities: relays.relayEntities, target: { url: databaseUrl } });
const database = {
  ...connected,
  async rows(query) {
    const rows = await connected.rows(query);
    // A statement that only reads changes nothing that could remain after a kill, and neither does a claim without rows.
    const text =
      query.text ?? (query.isRawBuilder ? query.toOperationNode().sqlFragments[0] : query.compile().sql);
    const [, verb, table] = /^\s*(select|with|update)(?:\s+"?(\w+))?/.exec(text) ?? [];
    if (verb === 'with' && rows.length > 0) pass('claim');
    if (verb === 'update') pass(`update ${table}`);
    return rows;
  },
  async transaction(work) {
    const result = await connected.transaction(work);
    pass('transaction');
    return result;
  },
};

const honest = createLedgerNodes({ rpcUrls: [rpcUrl], timeoutMs: 10_000 });
const counted = (node) =>
  Object.fromEntries(
    Object.entries(node).map(([name, member]) => [
      name,
      typeof member !== 'function'
        ? member
        : async (...question) => {
            const answer = await member(...question);
            pass(name);
            return answer;
          },
    ]),
  );

async function openSignals() {
  if (signalsUrl === undefined) return inProcessSignals();
  const signals = (signalsUrl.startsWith('redis') ? redisSignals : postgresqlSignals)(signalsUrl, silentLog);
  // Every listener is called once when the connection is made.
  await new Promise((resolve) => signals.listen('connected', resolve));
  return signals;
}

const foundation = {
  database,
  signals: await openSignals(),
  clock: systemClock,
  random: systemRandom,
  sealer: createSealer(Buffer.from(masterKey, 'base64')),
  signingKeys: createKeptSigningKeys({}),
  log: silentLog,
};
const ended = Promise.withResolvers();
let ends = 0;
const worker = relays.createRelayWorker({
  foundation,
  nodes: { ...honest, nodes: honest.nodes.map(counted) },
  pools: await relays.parsePoolsFile(pools, () => Promise.reject(new Error('There is no such file.'))),
  payers: relays.createPayers({
    signers: [relays.keyPairSigner(Buffer.from(keyPair, 'base64'))],
    nodes: honest,
    clock: systemClock,
  }),
  checkDesk: createCheckDesk(foundation),
  instanceId: `child-${process.pid}`,
  timing,
  metrics: {
    ...relays.createRelayMetrics(createRegistry()),
    changed(status) {
      if (relays.isTerminal(status)) ends += 1;
      if (ends === requests) ended.resolve();
    },
  },
});
worker.start();
await ended.promise;
// Sends the last signals before the end.
await foundation.signals[Symbol.asyncDispose]();
process.exit(0);
