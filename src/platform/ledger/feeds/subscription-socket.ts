import { WebSocket } from 'ws';
import { parseForeignJson } from '../../kernel/encoding/foreign-json.js';
import { isJsonObject, type JsonObject } from '../../kernel/encoding/json.js';

/** A pair of a provider's methods, such as `logsSubscribe` and `logsUnsubscribe`, and the notifications that follow. */
export interface SubscriptionKind<Topic extends string> {
  readonly subscribe: string;
  readonly unsubscribe: string;
  readonly notification: string;
  readonly params: (topic: Topic) => readonly unknown[];
  readonly maxMessageBytes: number;
  /**
   * The provider notifies once, and then forgets the subscription. A socket that sends more messages than expected is closed.
   */
  readonly notifiesOnce: boolean;
}

export interface SocketTerms {
  /** Timeout for the handshake and for the acknowledgement of every subscription. */
  readonly timeoutMs: number;
  /** A connection that is silent for two heartbeats is closed. */
  readonly heartbeatMs: number;
}

export interface SocketEvents<Topic extends string> {
  readonly opened: () => void;
  /** Called when everything that was requested is subscribed to. */
  readonly acknowledged: () => void;
  readonly notified: (topic: Topic, result: JsonObject) => void;
  readonly ended: (reason: string) => void;
}

export const DEFAULT_HEARTBEAT_MS = 15_000;
/** Messages for each request of a subscription that notifies once: the answer, and the notification. */
const MESSAGES_PER_REQUEST = 2;

/** One WebSocket and its subscriptions. A refusal or a timeout closes it, and the owner reconnects. */
export class SubscriptionSocket<Topic extends string> {
  private readonly socket: WebSocket;
  private readonly requested = new Set<Topic>();
  private readonly acknowledgements = new Map<number, Topic>();
  private readonly subscriptions = new Map<number, Topic>();
  private readonly subscriptionOf = new Map<Topic, number>();
  private readonly heartbeat: NodeJS.Timeout;
  private deadline: NodeJS.Timeout | undefined;
  private lastId = 0;
  private received = 0;
  private heard = true;
  private over = false;

  constructor(
    url: string,
    private readonly kind: SubscriptionKind<Topic>,
    private readonly terms: SocketTerms,
    private readonly events: SocketEvents<Topic>,
  ) {
    this.socket = new WebSocket(url, {
      handshakeTimeout: terms.timeoutMs,
      maxPayload: kind.maxMessageBytes,
      perMessageDeflate: false,
      followRedirects: false,
    });
    this.socket.on('open', () => this.events.opened());
    this.socket.on('message', (data, isBinary) => {
      this.heard = true;
      if (this.over) return;
      this.received += 1;
      if (kind.notifiesOnce && this.received > MESSAGES_PER_REQUEST * this.lastId)
        this.end('sends too many messages');
      else if (!isBinary && Buffer.isBuffer(data)) this.read(data.toString('utf8'));
    });
    this.socket.on('pong', () => (this.heard = true));
    this.socket.on('error', (error) => this.end(error.message));
    this.socket.on('close', (code) => this.end(`closed (${code})`));
    this.heartbeat = setInterval(() => this.beat(), terms.heartbeatMs);
    this.heartbeat.unref();
  }

  follows(topic: Topic): boolean {
    return this.subscriptionOf.has(topic);
  }

  follow(wanted: ReadonlySet<Topic>): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    for (const topic of wanted) {
      if (this.requested.has(topic)) continue;
      this.requested.add(topic);
      this.acknowledgements.set(this.send(this.kind.subscribe, this.kind.params(topic)), topic);
    }
    for (const [topic, subscription] of [...this.subscriptionOf]) {
      if (wanted.has(topic)) continue;
      this.send(this.kind.unsubscribe, [subscription]);
      this.forget(topic, subscription);
    }
    this.expectAcknowledgements();
    if (this.acknowledgements.size === 0) this.events.acknowledged();
  }

  /** Closes the socket. Calls `ended` once, unless the owner closed it by a call without a reason. */
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

  private forget(topic: Topic, subscription: number): void {
    this.requested.delete(topic);
    this.subscriptionOf.delete(topic);
    this.subscriptions.delete(subscription);
  }

  private expectAcknowledgements(): void {
    clearTimeout(this.deadline);
    if (this.acknowledgements.size === 0) return;
    this.deadline = setTimeout(() => this.end('subscriptions not acknowledged'), this.terms.timeoutMs);
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
      message = parseForeignJson(text);
    } catch {
      this.end('not JSON');
      return;
    }
    if (!isJsonObject(message)) this.end('not JSON-RPC');
    else if (message['method'] === this.kind.notification) this.readNotification(message['params']);
    else if (typeof message['id'] === 'number') this.readAcknowledgement(message['id'], message['result']);
  }

  private readAcknowledgement(id: number, subscription: unknown): void {
    const topic = this.acknowledgements.get(id);
    if (topic === undefined) return;
    if (typeof subscription !== 'number') {
      this.end('a subscription was refused');
      return;
    }
    this.acknowledgements.delete(id);
    this.subscriptions.set(subscription, topic);
    this.subscriptionOf.set(topic, subscription);
    if (this.acknowledgements.size > 0) return;
    this.expectAcknowledgements();
    this.events.acknowledged();
  }

  private readNotification(params: unknown): void {
    if (!isJsonObject(params) || typeof params['subscription'] !== 'number') return;
    const { subscription, result } = params;
    const topic = this.subscriptions.get(subscription);
    if (topic === undefined || !isJsonObject(result)) return;
    if (this.kind.notifiesOnce) this.forget(topic, subscription);
    this.events.notified(topic, result as JsonObject);
  }
}
