// Follows an address at a hostile provider, and prints how much the resident memory of this process rises.
import path from 'node:path';
import { setInterval } from 'node:timers';

const MENTIONS = 400;

const dist = path.resolve(import.meta.dirname, '../../../dist/src');
const { createLedger } = await import(path.join(dist, 'platform/ledger/index.js'));
const { silentLog } = await import(path.join(dist, 'platform/kernel/log.js'));
const [wsUrl] = process.argv.slice(2);
const terms = { rpcUrls: ['http://127.0.0.1:9'], wsUrls: [wsUrl], timeoutMs: 60_000, log: silentLog };

const before = process.memoryUsage.rss();
let highest = before;
setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 2);
let mentions = 0;
const heard = Promise.withResolvers();
createLedger(terms).subscribeToMentions(['1'.repeat(32)], ({ kind }) => {
  if (kind === 'mention') mentions += 1;
  if (mentions === MENTIONS) heard.resolve();
});
await heard.promise;
process.stdout.write(JSON.stringify({ mentions, riseMiB: (highest - before) / 1024 ** 2 }));
process.exit(0);
