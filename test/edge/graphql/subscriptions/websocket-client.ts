import { afterEach, expect } from '@jest/globals';
import { once } from 'node:events';
import { createClient, type Client, type SubscribePayload } from 'graphql-ws';
import { WebSocket, type ClientOptions } from 'ws';
import { bearer, type TestApp } from '../../../kit/app.js';

export const PROTOCOL = 'graphql-transport-ws';
export const FOLLOW = `subscription ($assetId: ID!, $after: String) {
  transactionAdded(assetId: $assetId, after: $after) { cursor transaction { id } } }`;

export interface Added {
  readonly transactionAdded: { readonly cursor: string; readonly transaction: { readonly id: string } };
}
export interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}
export interface Result {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

const open: { readonly close: () => void }[] = [];
afterEach(() => {
  for (const { close } of open.splice(0)) close();
});

/** The client that integrators use. Errors and closes reach the caller: it does not retry. */
export function connect(
  app: TestApp,
  { key, headers }: { key?: string; headers?: Record<string, string> } = {},
) {
  class WithHeaders extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers });
    }
  }
  const client = createClient({
    url: socketUrl(app),
    webSocketImpl: WithHeaders,
    retryAttempts: 0,
    lazy: true,
    onNonLazyError: () => undefined,
    ...(key === undefined ? {} : { connectionParams: bearer(key) }),
  });
  open.push({ close: () => void client.dispose() });
  return client;
}

/** The single answer of a query or mutation. A refusal before execution has the same form. */
export async function ask(client: Client, payload: SubscribePayload): Promise<Result> {
  const events = client.iterate(payload);
  try {
    const { value } = (await events.next()) as { value: Result };
    return value;
  } catch (thrown) {
    return { errors: thrown as NonNullable<Result['errors']> };
  }
}

const socketUrl = (app: TestApp, path = '/graphql') => `${app.url.replace('http', 'ws')}${path}`;

/** The raw messages in order of arrival. */
class RawClient {
  readonly closed: Promise<{ code: number; reason: string }>;
  private readonly arrived: Message[] = [];
  private wake: () => void = () => undefined;
  private ended: { code: number; reason: string } | undefined;
  readonly socket: WebSocket;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      this.arrived.push(JSON.parse(data.toString('utf8')) as Message);
      this.wake();
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.ended = { code, reason: reason.toString() };
        resolve(this.ended);
        this.wake();
      });
    });
    open.push({ close: () => socket.terminate() });
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  subscribe(id: string, payload: SubscribePayload): void {
    this.send({ id, type: 'subscribe', payload });
  }

  async receive(): Promise<Message> {
    for (;;) {
      const message = this.arrived.shift();
      if (message) return message;
      if (this.ended) throw new Error(`The connection closed: ${this.ended.code} ${this.ended.reason}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  async init(key?: string): Promise<this> {
    this.send({ type: 'connection_init', payload: key === undefined ? {} : bearer(key) });
    expect(await this.receive()).toEqual({ type: 'connection_ack' });
    return this;
  }
}

export async function openRaw(
  app: TestApp,
  options: ClientOptions = {},
  protocols = [PROTOCOL],
): Promise<RawClient> {
  const client = new RawClient(new WebSocket(socketUrl(app), protocols, options));
  await once(client.socket, 'open');
  return client;
}

/** The HTTP status of an upgrade; 101 if it succeeds. */
export async function upgradeStatus(
  app: TestApp,
  headers: Record<string, string>,
  path?: string,
): Promise<number> {
  const socket = new WebSocket(socketUrl(app, path), [PROTOCOL], { headers });
  socket.on('error', () => undefined);
  open.push({ close: () => socket.terminate() });
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
}

export async function take(
  events: AsyncIterableIterator<unknown>,
  count: number,
): Promise<Added['transactionAdded'][]> {
  const taken = [];
  while (taken.length < count) {
    const { value } = (await events.next()) as { value: { data: Added } };
    taken.push(value.data.transactionAdded);
  }
  return taken;
}
