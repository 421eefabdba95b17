import { WebSocket } from 'ws';
import { isJsonObject } from '../kernel/json.js';
import type { Log } from '../kernel/log.js';
import { isSignature, type Address } from './address.js';
import type { LedgerSignal, MentionSubscription } from './ledger-reader.js';

export interface MentionFeedOptions {
  /** Tried in turn. */
  readonly urls: readonly string[];
  /** For the handshake and for the acknowledgement of every subscription. */
  readonly timeoutMs: number;
  /** A connection on which nothing was heard for two of these is given up. */
  readonly heartbeatMs: number;
  readonly log: Log;
  readonly random: () => number;
}

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 15_000;
const MAXIMUM_MESSAGE_BYTES = 4 * 1024 * 1024;

interface Listener {
  readonly addresses: Set<Address>;
  readonly onSignal: (signal: LedgerSignal) => void;
  /** Whether `connected` was said since the connection, and the listener's addresses, last changed. */
  connected: boolean;
}

/**
 * `logsSubscribe` for any number of addresses on one WebSocket (the method takes one address at a time), opened with
 * the first listener and closed with the last. web3.js has such a client, but it writes its failures to the console.
 */
export class MentionFeed {
  private readonly listeners = new Set<Listener>();
  private connection: Connection | undefined;
  private retry: NodeJS.Timeout | undefined;
  private failures = 0;
  private closed = false;

  constructor(private readonly options: MentionFeedOptions) {}

  subscribe(addresses: readonly Address[], onSignal: (signal: LedgerSignal) => void): MentionSubscription {
    const listener: Listener = { addresses: new Set(addresses), onSignal, connected: false };
    this.listeners.add(listener);
    this.followSoon();
    const close = () => {
      this.listeners.delete(listener);
      this.follow();
    };
    return {
      add: (added) => {
        const before = listener.addresses.size;
        for (const address of added) listener.addresses.add(address);
        if (listener.addresses.size > before) listener.connected = false;
        this.followSoon();
      },
      remove: (removed) => {
        for (const address of removed) listener.addresses.delete(address);
        this.follow();
      },
      close,
      [Symbol.asyncDispose]: () => {
        close();
        return Promise.resolve();
      },
    };
  }

  close(): void {
    this.closed = true;
    this.listeners.clear();
    this.follow();
  }

  /** Not at once: a listener must not be told anything before it holds its subscription. */
  private followSoon(): void {
    queueMicrotask(() => this.follow());
  }

  /** Makes the connection follow what the listeners want, now. */
  private follow(): void {
    if (this.closed || this.listeners.size === 0) {
      clearTimeout(this.retry);
      this.retry = undefined;
      this.connection?.end();
      this.connection = undefined;
      return;
    }
    if (this.connection !== undefined) this.connection.follow(this.wanted());
    else if (this.retry === undefined) this.connect();
  }

  private wanted(): ReadonlySet<Address> {
    return new Set([...this.listeners].flatMap(({ addresses }) => [...addresses]));
  }

  private connect(): void {
    const { urls } = this.options;
    const url = urls[this.failures % urls.length];
    if (url === undefined) return;
    const connection = new Connection(url, this.options, {
      opened: () => connection.follow(this.wanted()),
      acknowledged: () => this.announce(connection),
      mentioned: (address, signal) => this.mention(address, signal),
      ended: (reason) => this.lost(connection, reason),
    });
    this.connection = connection;
  }

  private announce(connection: Connection): void {
    if (this.failures > 0) this.options.log.info({}, 'The ledger announces transactions again.');
    this.failures = 0;
    for (const listener of [...this.listeners]) {
      if (listener.connected || ![...listener.addresses].every((each) => connection.follows(each))) continue;
      listener.connected = true;
      this.tell(listener, { kind: 'connected' });
    }
  }

  private mention(address: Address, signal: LedgerSignal): void {
    for (const listener of [...this.listeners]) {
      if (listener.addresses.has(address)) this.tell(listener, signal);
    }
  }

  private lost(connection: Connection, reason: string): void {
    if (this.connection !== connection) return;
    this.connection = undefined;
    if (this.failures === 0) {
      this.options.log.warn({ reason }, 'The ledger announces nothing; polling goes on.');
    }
    const longest = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(this.failures, 10), LONGEST_BACKOFF_MS);
    this.failures += 1;
    this.retry = setTimeout(
      () => {
        this.retry = undefined;
        this.follow();
      },
      (longest * (1 + this.options.random())) / 2,
    );
    this.retry.unref();
    for (const listener of [...this.listeners]) {
      if (listener.connected) this.tell(listener, { kind: 'disconnected' });
      listener.connected = false;
    }
  }

  private tell(listener: Listener, signal: LedgerSignal): void {
    try {
      listener.onSignal(signal);
    } catch (thrown) {
      this.options.log.error({ err: thrown, signal: signal.kind }, 'A listener to the ledger failed.');
    }
  }
}

interface ConnectionEvents {
  readonly opened: () => void;
  readonly acknowledged: () => void;
  readonly mentioned: (address: Address, signal: LedgerSignal) => void;
  readonly ended: (reason: string) => void;
}

/** One WebSocket and what is subscribed on it. Any refusal or silence ends it: the feed begins anew. */
class Connection {
  private readonly socket: WebSocket;
  private readonly requested = new Map<Address, number>();
  private readonly acknowledgements = new Map<number, Address>();
  private readonly subscriptions = new Map<number, Address>();
  private readonly subscriptionOf = new Map<Address, number>();
  private readonly heartbeat: NodeJS.Timeout;
  private deadline: NodeJS.Timeout | undefined;
  private lastId = 0;
  private heard = true;
  private over = false;

  constructor(
    url: string,
    private readonly options: MentionFeedOptions,
    private readonly events: ConnectionEvents,
  ) {
    this.socket = new WebSocket(url, {
      handshakeTimeout: options.timeoutMs,
      maxPayload: MAXIMUM_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    this.socket.on('open', () => this.events.opened());
    this.socket.on('message', (data, isBinary) => {
      this.heard = true;
      if (!isBinary && Buffer.isBuffer(data)) this.read(data.toString('utf8'));
    });
    this.socket.on('pong', () => (this.heard = true));
    this.socket.on('error', (error) => this.end(error.message));
    this.socket.on('close', (code) => this.end(`closed (${code})`));
    this.heartbeat = setInterval(() => this.beat(), options.heartbeatMs);
    this.heartbeat.unref();
  }

  follows(address: Address): boolean {
    return this.subscriptionOf.has(address);
  }

  follow(wanted: ReadonlySet<Address>): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    for (const address of wanted) {
      if (this.requested.has(address)) continue;
      const id = this.send('logsSubscribe', [{ mentions: [address] }, { commitment: 'finalized' }]);
      this.requested.set(address, id);
      this.acknowledgements.set(id, address);
    }
    for (const [address, subscription] of [...this.subscriptionOf]) {
      if (wanted.has(address)) continue;
      this.send('logsUnsubscribe', [subscription]);
      this.requested.delete(address);
      this.subscriptionOf.delete(address);
      this.subscriptions.delete(subscription);
    }
    this.expectAcknowledgements();
    if (this.acknowledgements.size === 0) this.events.acknowledged();
  }

  /** Ends it; `ended` is told once, and only when the end was not asked for by calling without a reason. */
  end(reason?: string): void {
    if (this.over) return;
    this.over = true;
    clearInterval(this.heartbeat);
    clearTimeout(this.deadline);
    this.socket.terminate();
    if (reason !== undefined) this.events.ended(reason);
  }

  private send(method: string, params: readonly unknown[]): number {
    this.lastId += 1;
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id: this.lastId, method, params }));
    return this.lastId;
  }

  private expectAcknowledgements(): void {
    clearTimeout(this.deadline);
    if (this.acknowledgements.size === 0) return;
    this.deadline = setTimeout(() => this.end('subscriptions not acknowledged'), this.options.timeoutMs);
    this.deadline.unref();
  }

  private beat(): void {
    if (!this.heard) {
      this.end('silent');
      return;
    }
    this.heard = false;
    if (this.socket.readyState === WebSocket.OPEN) this.socket.ping();
  }

  private read(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.end('not JSON');
      return;
    }
    if (!isJsonObject(message)) this.end('not JSON-RPC');
    else if (message['method'] === 'logsNotification') this.readMention(message['params']);
    else if (typeof message['id'] === 'number') this.readAcknowledgement(message['id'], message['result']);
  }

  private readAcknowledgement(id: number, subscription: unknown): void {
    const address = this.acknowledgements.get(id);
    if (address === undefined) return;
    if (typeof subscription !== 'number') {
      this.end('a subscription was refused');
      return;
    }
    this.acknowledgements.delete(id);
    this.subscriptions.set(subscription, address);
    this.subscriptionOf.set(address, subscription);
    if (this.acknowledgements.size > 0) return;
    this.expectAcknowledgements();
    this.events.acknowledged();
  }

  private readMention(params: unknown): void {
    if (!isJsonObject(params) || typeof params['subscription'] !== 'number') return;
    const address = this.subscriptions.get(params['subscription']);
    const result = params['result'];
    if (address === undefined || !isJsonObject(result)) return;
    const { context, value } = result;
    if (!isJsonObject(context) || !isJsonObject(value)) return;
    const { slot } = context;
    const { signature } = value;
    if (typeof slot !== 'number' || !isSignature(signature)) return;
    this.events.mentioned(address, { kind: 'mention', address, signature, slot });
  }
}
