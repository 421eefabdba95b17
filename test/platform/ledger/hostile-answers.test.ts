import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { listen } from '../../kit/process/local-server.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { hostileProvider, type Hostility } from '../../kit/ledger/hostile-provider.js';
import {
  createLedger,
  createLedgerNodes,
  signature,
  type LedgerNode,
} from '../../../src/platform/ledger/index.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import { startLocalLedger, type LocalLedger } from '../../../devnet/index.js';

const LEVELS = 'more than 64 levels';
const values = (count: number) => `more than ${count} values`;
const bytes = (count: number) => `more than ${count} bytes`;
/** Why it is refused: if a short answer is expected, and if a long one is expected. */
const HOSTILITIES: readonly (readonly [string, Hostility, string, string])[] = [
  ['nested lists', 'deep', LEVELS, LEVELS],
  ['hundreds of thousands of objects', 'wide', values(5_000), values(50_000)],
  ['tens of thousands of names', 'many_names', values(5_000), values(50_000)],
  ['an endless body', 'endless', bytes(65_536), bytes(1_048_576)],
  ['an endless compressed body', 'compressed', 'is compressed', 'is compressed'],
];
const MAX_RISE_MIB = 64;

describe('a response that would exhaust memory', () => {
  let local: LocalLedger;
  beforeAll(async () => {
    local = await startLocalLedger();
  });
  afterAll(() => local.close());

  it.each(HOSTILITIES)('is refused before it is parsed: %s', async (_, hostility, why, whyLong) => {
    await using hostile = await hostileProvider(local.rpcUrl, hostility);
    await using nodes = createLedgerNodes({ rpcUrls: [hostile.url], timeoutMs: 60_000 });
    const [node] = nodes.nodes as [LedgerNode];
    const asked = [
      node.finalizedHeight(),
      node.balance(randomAddress()),
      node.recentPrioritizationFees([randomAddress()]),
    ];
    const refusal = { kind: 'nonsense', message: expect.stringContaining(why) };
    const long = { ...refusal, message: expect.stringContaining(whyLong) };
    const askedForLong = node.finalizedOutcome(signature('1'.repeat(64)));
    for (const answer of asked) await expect(answer).rejects.toMatchObject(refusal);
    await expect(askedForLong).rejects.toMatchObject(long);
    hostile.become();
    expect(await node.finalizedHeight()).toMatchObject({ slot: expect.any(Number) });
  });

  it.each(HOSTILITIES)('is also refused for a client library: %s', async (_, hostility, _short, why) => {
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

describe('a provider that supports compression', () => {
  it('is asked for uncompressed responses', async () => {
    await using local = await startLocalLedger();
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const headers = { 'content-type': 'application/json' };
      const forwarded = await fetch(local.rpcUrl, { method: 'POST', headers, body: await text(request) });
      const body = Buffer.from(await forwarded.arrayBuffer());
      if (/gzip|\*/.test(request.headers['accept-encoding'] ?? ''))
        response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipSync(body));
      else response.writeHead(200, headers).end(body);
    };
    const server = createServer((request, response) => void answer(request, response));
    const port = await listen(server);
    await using nodes = createLedgerNodes({ rpcUrls: [`http://127.0.0.1:${port}`], timeoutMs: 60_000 });
    expect(await nodes.nodes[0]!.finalizedHeight()).toMatchObject({ slot: expect.any(Number) });
    server.closeAllConnections();
    server.close();
  });
});

describe('the memory of a process', () => {
  it.each<[Hostility, 'short' | 'long']>([
    ['deep', 'short'],
    ['wide', 'short'],
    ['many_names', 'short'],
    ['endless', 'short'],
    ['compressed', 'short'],
    ['deep', 'long'],
    ['wide', 'long'],
    ['many_names', 'long'],
    ['endless', 'long'],
    ['compressed', 'long'],
  ])(
    'grows by at most 64 MiB while hostile answers arrive for every call that a relay makes at once: %s, if a %s one is expected',
    async (hostility, length) => {
      await using local = await startLocalLedger();
      await using hostile = await hostileProvider(local.rpcUrl, hostility);
      const child = path.join(import.meta.dirname, 'hostile-memory-child.mjs');
      const { stdout } = await promisify(execFile)(process.execPath, [
        child,
        local.rpcUrl,
        hostile.url,
        length,
      ]);
      const { honest, hostile: believed, riseMiB } = JSON.parse(stdout) as Record<string, number>;
      expect({ honest, believed }).toEqual({ honest: 400, believed: 0 });
      expect(riseMiB).toBeLessThanOrEqual(MAX_RISE_MIB);
    },
  );
});

describe('the memory of a process that follows addresses', () => {
  it('grows by at most 64 MiB during a flood of large hostile notifications', async () => {
    await using flood = await floodingFeed();
    const child = path.join(import.meta.dirname, 'hostile-feed-child.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [child, flood.url]);
    const { mentions, riseMiB } = JSON.parse(stdout) as Record<string, number>;
    expect(mentions).toBeGreaterThanOrEqual(400);
    expect(riseMiB).toBeLessThanOrEqual(MAX_RISE_MIB);
  });
});

/** Sends notifications for each subscription endlessly, with nearly the maximum number of bytes and values. */
async function floodingFeed(): Promise<AsyncDisposable & { readonly url: string }> {
  const logs = `[${'0,'.repeat(99_000)}"${'x'.repeat(60_000)}"]`;
  const value = `{"signature":"${'1'.repeat(64)}","err":null,"logs":${logs}}`;
  const notification = `{"jsonrpc":"2.0","method":"logsNotification","params":{"subscription":1,"result":{"context":{"slot":1},"value":${value}}}}`;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    const push = () => {
      if (socket.readyState === WebSocket.OPEN) socket.send(notification, () => setImmediate(push));
    };
    socket.on('message', (data: Buffer) => {
      const { id } = JSON.parse(data.toString()) as { readonly id: number };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: 1 }));
      for (let ahead = 0; ahead < 4; ahead += 1) push();
    });
  });
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a response that does not end', () => {
  it.each<Hostility>(['hangs', 'trickles'])(
    'fails when the time for the complete answer has ended: %s',
    async (hostility) => {
      await using local = await startLocalLedger();
      await using hostile = await hostileProvider(local.rpcUrl, hostility);
      await using nodes = createLedgerNodes({ rpcUrls: [hostile.url], timeoutMs: 500 });
      const [node] = nodes.nodes as [LedgerNode];
      await expect(node.finalizedHeight()).rejects.toMatchObject({ kind: 'timeout' });
    },
  );
});
