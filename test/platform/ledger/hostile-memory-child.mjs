// Sends a hostile provider as many concurrent calls as a lane allows, and prints how much the resident memory of this
// process rises.
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';

/** 16 questions, 16 transactions and 4 searches, and a balance. Searches and outcomes are answered at length. */
const AT_ONCE = { short: 40, long: 20 };
const ANSWERS = 400;
const ADDRESS = '1'.repeat(32);

const dist = path.resolve(import.meta.dirname, '../../../dist/src');
const { createLedgerNodes, signature } = await import(path.join(dist, 'platform/ledger/index.js'));
const [honestUrl, hostileUrl, length] = process.argv.slice(2);

const questions = {
  /** Calls that relays repeat at every provider. */
  short: [(node) => node.finalizedHeight(), (node) => node.balance(ADDRESS)],
  /** Calls whose answers may be long. */
  long: [(node) => node.finalizedOutcome(signature('1'.repeat(64)))],
}[length];

/** Returns the number of answered calls. */
async function ask(url) {
  const { nodes } = createLedgerNodes({ rpcUrls: [url], timeoutMs: 60_000 });
  let answers = 0;
  for (let round = 0; round < ANSWERS / AT_ONCE[length]; round += 1) {
    const asked = Array.from({ length: AT_ONCE[length] }, (_, at) =>
      questions[at % questions.length](nodes[0]),
    );
    answers += (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled').length;
  }
  return answers;
}

// The memory that the same number of honest answers takes does not count.
const honest = await ask(honestUrl);
const before = process.memoryUsage.rss();
let highest = before;
const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 2);
const hostile = await ask(hostileUrl);
clearInterval(watch);
process.stdout.write(JSON.stringify({ honest, hostile, riseMiB: (highest - before) / 1024 ** 2 }));
process.exit(0);
