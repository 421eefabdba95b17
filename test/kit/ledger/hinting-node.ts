import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** What a provider's WebSocket does with a subscription. */
export type Hinting =
  /** Acknowledges it, and sends nothing until `tell`. */
  | 'waits'
  /** Acknowledges it, and immediately reports the transaction as finalized. */
  | 'lies'
  /** Acknowledges it, and sends thousands of notifications for it and others. */
  | 'floods'
  /** Accepts it, and never acknowledges it. */
  | 'hangs'
  /** Refuses it. */
  | 'refuses'
  /** Cuts the connection. */
  | 'drops';

export interface HintingNode extends AsyncDisposable {
  readonly wsUrl: string;
  /** When each connection was opened, by `performance.now()`. */
  readonly connectedAt: readonly number[];
  /** The received requests, in order. */
  readonly asked: readonly { readonly method: string; readonly params: readonly unknown[] }[];
  /** The number of open connections. */
  readonly open: number;
  /** Sets the behavior from now on. */
  become(hinting: Hinting): void;
  /** Reports the transaction of every subscription as finalized. */
  tell(): void;
  /** Cuts every connection. */
  cut(): void;
}

const FLOOD = 5_000;

/** The WebSocket of a provider, without a ledger. */
export async function hintingNode(first: Hinting): Promise<HintingNode> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const connectedAt: number[] = [];
  const asked: { method: string; params: readonly unknown[] }[] = [];
  const subscribed = new Map<number, WebSocket>();
  let hinting = first;
  let last = 0;
  const notify = (subscription: number, client: WebSocket) => {
    const result = { context: { slot: 1 }, value: { err: null } };
    const params = { result, subscription };
    client.send(JSON.stringify({ jsonrpc: '2.0', method: 'signatureNotification', params }));
  };
  server.on('connection', (client) => {
    connectedAt.push(performance.now());
    client.on('error', () => undefined);
    client.on('message', (data: Buffer) => {
      const { id, method, params } = JSON.parse(data.toString('utf8')) as {
        readonly id: number;
        readonly method: string;
        readonly params: readonly unknown[];
      };
      asked.push({ method, params });
      if (hinting === 'hangs') return;
      if (hinting === 'drops') {
        client.terminate();
        return;
      }
      if (hinting === 'refuses') {
        client.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
        return;
      }
      last += 1;
      client.send(JSON.stringify({ jsonrpc: '2.0', id, result: last }));
      if (hinting === 'waits') subscribed.set(last, client);
      if (hinting === 'lies') notify(last, client);
      if (hinting === 'floods') for (let at = 0; at < FLOOD; at += 1) notify(last + (at % 3), client);
    });
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    wsUrl: `ws://127.0.0.1:${port}`,
    connectedAt,
    asked,
    get open() {
      return [...server.clients].filter(({ readyState }) => readyState === WebSocket.OPEN).length;
    },
    become(changed) {
      hinting = changed;
    },
    tell() {
      for (const [subscription, client] of subscribed) notify(subscription, client);
      subscribed.clear();
    },
    cut() {
      subscribed.clear();
      for (const client of server.clients) client.terminate();
    },
    [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
