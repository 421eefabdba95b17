import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomAddress } from '../../kit/confidential-records.js';
import { hostileProvider, type Hostility } from '../../kit/hostile-provider.js';
import { createLedger, createLedgerNodes, type LedgerNode } from '../../../src/platform/ledger/index.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import { startLocalLedger, type LocalLedger } from '../../../devnet/index.js';

const HOSTILITIES: readonly (readonly [string, Hostility, string])[] = [
  ['lists in lists', 'deep', 'more than 64 levels'],
  ['hundreds of thousands of objects', 'wide', 'more than 50000 values'],
  ['tens of thousands of names', 'many_names', 'more than 50000 values'],
  ['a body without an end', 'endless', 'more than 1048576 bytes'],
];

describe('an answer that would exhaust memory', () => {
  let local: LocalLedger;
  beforeAll(async () => {
    local = await startLocalLedger();
  });
  afterAll(() => local.close());

  it.each(HOSTILITIES)('is refused before it is parsed: %s', async (_, hostility, why) => {
    await using hostile = await hostileProvider(local.rpcUrl, hostility);
    await using nodes = createLedgerNodes({ rpcUrls: [hostile.url], timeoutMs: 60_000 });
    const [node] = nodes.nodes as [LedgerNode];
    const asked = [
      node.finalizedHeight(),
      node.balance(randomAddress()),
      node.recentPrioritizationFees([randomAddress()]),
    ];
    const refusal = { kind: 'nonsense', message: expect.stringContaining(why) };
    for (const answer of asked) await expect(answer).rejects.toMatchObject(refusal);
    hostile.reform();
    expect(await node.finalizedHeight()).toMatchObject({ slot: expect.any(Number) });
  });

  it.each(HOSTILITIES)('is refused of a client library too: %s', async (_, hostility, why) => {
    await using hostile = await hostileProvider(local.rpcUrl, hostility);
    const terms = { timeoutMs: 60_000, rounds: 1, log: silentLog };
    await using ledger = createLedger({ rpcUrls: [hostile.url], ...terms });
    const refusal = { kind: 'nonsense', message: expect.stringContaining(why) };
    await expect(ledger.mintAccount(randomAddress())).rejects.toMatchObject(refusal);
    await expect(ledger.finalizedSlot()).rejects.toMatchObject(refusal);
    await using both = createLedger({ rpcUrls: [hostile.url, local.rpcUrl], ...terms });
    // A ledger that has just started may still be at slot 0.
    expect(await both.finalizedSlot()).toBeGreaterThanOrEqual(0);
  });
});

describe('an answer that does not end', () => {
  it.each<Hostility>(['hangs', 'trickles'])(
    'is given up when the time for the whole of it has ended: %s',
    async (hostility) => {
      await using local = await startLocalLedger();
      await using hostile = await hostileProvider(local.rpcUrl, hostility);
      await using nodes = createLedgerNodes({ rpcUrls: [hostile.url], timeoutMs: 500 });
      const [node] = nodes.nodes as [LedgerNode];
      await expect(node.finalizedHeight()).rejects.toMatchObject({ kind: 'timeout' });
    },
  );
});
