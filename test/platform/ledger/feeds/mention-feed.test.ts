import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { silentLog } from '../../../../src/platform/kernel/log.js';
import {
  createLedger,
  type LedgerOptions,
  type LedgerSignal,
} from '../../../../src/platform/ledger/index.js';
import { eventually } from '../../../kit/eventually.js';
import { startFaultLedger, type FaultLedger } from '../../../kit/ledger/fault-ledger.js';
import { anAddress, aSignature } from '../answers.js';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

async function aNode(): Promise<FaultLedger> {
  const node = await startFaultLedger();
  open.push(node);
  return node;
}

function aLedger(node: FaultLedger, options: Partial<LedgerOptions> = {}) {
  const { rpcUrl, wsUrl } = node;
  const ledger = createLedger({
    rpcUrls: [rpcUrl],
    wsUrls: [wsUrl],
    timeoutMs: 2_000,
    log: silentLog,
    random: () => 0,
    ...options,
  });
  open.push(ledger);
  return ledger;
}

/** Returns signals in the order in which they arrive. A test that waits too long fails by Jest's timeout. */
function inbox() {
  const arrived: LedgerSignal[] = [];
  const waiting: ((signal: LedgerSignal) => void)[] = [];
  return {
    put: (signal: LedgerSignal) => {
      const next = waiting.shift();
      if (next === undefined) arrived.push(signal);
      else next(signal);
    },
    next: async (): Promise<LedgerSignal> =>
      arrived.shift() ?? (await new Promise((resolve) => waiting.push(resolve))),
  };
}

const [first, second, third] = [anAddress(1), anAddress(2), anAddress(3)];
const name = aSignature(1);

describe('the mention feed', () => {
  it('reports its start, then announces each mention of a followed address', async () => {
    const node = await aNode();
    const signals = inbox();
    aLedger(node).subscribeToMentions([first, second], signals.put);
    expect(await signals.next()).toEqual({ kind: 'connected' });
    node.announce(third, name, 6);
    node.announce(second, name, 7);
    expect(await signals.next()).toEqual({ kind: 'mention', address: second, signature: name, slot: 7 });
  });

  it('subscribes to finalized transactions, once for each address', async () => {
    const node = await aNode();
    const signals = inbox();
    const ledger = aLedger(node);
    ledger.subscribeToMentions([first, second], signals.put);
    ledger.subscribeToMentions([second, third], signals.put);
    await signals.next();
    await signals.next();
    expect(node.asked.map(({ params }) => params)).toEqual(
      [first, second, third].map((each) => [{ mentions: [each] }, { commitment: 'finalized' }]),
    );
  });

  it('notifies each listener only of its addresses', async () => {
    const node = await aNode();
    const [mine, other] = [inbox(), inbox()];
    const ledger = aLedger(node);
    ledger.subscribeToMentions([first], mine.put);
    ledger.subscribeToMentions([second], other.put);
    await mine.next();
    await other.next();
    node.announce(second, name, 7);
    node.announce(first, name, 8);
    expect(await mine.next()).toMatchObject({ address: first });
    expect(await other.next()).toMatchObject({ address: second });
  });

  it('reports its start again once an added address is followed', async () => {
    const node = await aNode();
    const signals = inbox();
    const subscription = aLedger(node).subscribeToMentions([first], signals.put);
    await signals.next();
    subscription.add([second]);
    expect(await signals.next()).toEqual({ kind: 'connected' });
    node.announce(second, name, 7);
    expect(await signals.next()).toMatchObject({ kind: 'mention', address: second });
  });

  it('unsubscribes an address without listeners', async () => {
    const node = await aNode();
    const signals = inbox();
    const subscription = aLedger(node).subscribeToMentions([first, second], signals.put);
    await signals.next();
    subscription.remove([second]);
    subscription.add([third]);
    await signals.next();
    expect([...node.subscribed()].sort()).toEqual([first, third].sort());
  });

  it('starts when a node that was unavailable becomes available', async () => {
    const node = await aNode();
    await node.goDown();
    const signals = inbox();
    aLedger(node).subscribeToMentions([first], signals.put);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await node.comeBack();
    expect(await signals.next()).toEqual({ kind: 'connected' });
  });

  it('reports a broken connection, and follows everything again when it reconnects', async () => {
    const node = await aNode();
    const signals = inbox();
    aLedger(node).subscribeToMentions([first, second], signals.put);
    await signals.next();
    node.cutSockets();
    expect(await signals.next()).toEqual({ kind: 'disconnected' });
    expect(await signals.next()).toEqual({ kind: 'connected' });
    node.announce(first, name, 9);
    expect(await signals.next()).toMatchObject({ kind: 'mention', slot: 9 });
  });

  it.each([
    ['text that is not JSON', 'not json'],
    ['a list', '[]'],
    ['a number', '7'],
    ['nested lists', `{"deep":${'['.repeat(65)}${']'.repeat(65)}}`],
    ['too many values', `{"wide":[${'0,'.repeat(100_000)}0]}`],
    ['too many bytes', `{"long":"${'x'.repeat(256 * 1024)}"}`],
  ])('reconnects when a node sends %s', async (_, text) => {
    const node = await aNode();
    const signals = inbox();
    aLedger(node).subscribeToMentions([first], signals.put);
    await signals.next();
    node.babble(text);
    expect(await signals.next()).toEqual({ kind: 'disconnected' });
    expect(await signals.next()).toEqual({ kind: 'connected' });
  });

  it('ignores notifications that it cannot parse', async () => {
    const node = await aNode();
    const signals = inbox();
    aLedger(node).subscribeToMentions([first], signals.put);
    await signals.next();
    for (const params of [{}, { subscription: 1 }, { subscription: 1, result: { context: {}, value: {} } }]) {
      node.babble(JSON.stringify({ jsonrpc: '2.0', method: 'logsNotification', params }));
    }
    node.announce(first, name, 9);
    expect(await signals.next()).toMatchObject({ kind: 'mention', slot: 9 });
  });

  it('reconnects when a node refuses a subscription', async () => {
    const node = await aNode();
    node.fail('logsSubscribe', { kind: 'error', code: -32602, message: 'no' }, 1);
    const signals = inbox();
    aLedger(node).subscribeToMentions([first], signals.put);
    expect(await signals.next()).toEqual({ kind: 'connected' });
    expect(node.countOf('logsSubscribe')).toBe(2);
  });

  it('reconnects when a node never acknowledges a subscription', async () => {
    const node = await aNode();
    node.fail('logsSubscribe', { kind: 'hang' }, 1);
    const signals = inbox();
    aLedger(node, { timeoutMs: 100 }).subscribeToMentions([first], signals.put);
    expect(await signals.next()).toEqual({ kind: 'connected' });
  });

  it('reconnects when its connection is silent', async () => {
    const silent = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
    const connections = new Promise<void>((resolve) => {
      let count = 0;
      silent.on('connection', () => {
        count += 1;
        if (count === 2) resolve();
      });
    });
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const ledger = createLedger({
      rpcUrls: [`http://127.0.0.1:${port}`],
      wsUrls: [`ws://127.0.0.1:${port}`],
      timeoutMs: 60_000,
      heartbeatMs: 20,
      log: silentLog,
    });
    ledger.subscribeToMentions([first], () => undefined);
    await expect(connections).resolves.toBeUndefined();
    await ledger.close();
    silent.close();
  });

  it('continues when a listener throws', async () => {
    const node = await aNode();
    const signals = inbox();
    const ledger = aLedger(node);
    ledger.subscribeToMentions([first], () => {
      throw new Error('a listener of bad manners');
    });
    ledger.subscribeToMentions([first], signals.put);
    expect(await signals.next()).toEqual({ kind: 'connected' });
    node.announce(first, name, 9);
    expect(await signals.next()).toMatchObject({ kind: 'mention' });
  });

  it('notifies no one before the listener has its subscription', async () => {
    const node = await aNode();
    const signals = inbox();
    const ledger = aLedger(node);
    ledger.subscribeToMentions([first], signals.put);
    await signals.next();
    const heard: LedgerSignal[] = [];
    ledger.subscribeToMentions([first], (signal) => heard.push(signal));
    expect(heard).toEqual([]);
    await Promise.resolve();
    expect(heard).toEqual([{ kind: 'connected' }]);
  });

  it('ends with its last listener', async () => {
    const node = await aNode();
    const signals = inbox();
    const subscription = aLedger(node).subscribeToMentions([first], signals.put);
    await signals.next();
    subscription.close();
    await eventually(
      () => node.subscribed(),
      ({ length }) => length === 0,
    );
  });
});
