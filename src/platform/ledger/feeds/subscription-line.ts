import { type BackOff, Reconnection } from '../../jobs/index.js';
import type { JsonObject } from '../../kernel/encoding/json.js';
import { SubscriptionSocket, type SocketTerms, type SubscriptionKind } from './subscription-socket.js';

export interface LineOptions<Topic extends string> extends SocketTerms {
  /** URLs that are tried in turn. */
  readonly urls: readonly string[];
  readonly kind: SubscriptionKind<Topic>;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** The topics that the line must be subscribed to now. */
  readonly wanted: () => ReadonlySet<Topic>;
  /** Called when all wanted topics are subscribed to. `isBack`: for the first time after a failure. */
  readonly followed: (isBack: boolean) => void;
  readonly notified: (topic: Topic, result: JsonObject) => void;
  /** `isFirst`: the first failure since all topics were last subscribed to. */
  readonly lost: (reason: string, isFirst: boolean) => void;
}

/** Only a connection that lasted for `maxMs` resets the pauses: one that is accepted and cut repeatedly does not. */
const RECONNECTION: BackOff = { firstMs: 250, maxMs: 15_000 };

/**
 * Subscriptions that outlive their WebSocket. One WebSocket is open while any topic is wanted. After each failure, another one
 * is opened, with growing pauses. web3.js has such a client, but it writes its failures to the console.
 */
export class SubscriptionLine<Topic extends string> {
  private socket: SubscriptionSocket<Topic> | undefined;
  private readonly reconnection: Reconnection;
  private isDown = false;
  private followedAtMs = Infinity;
  private closed = false;

  constructor(private readonly options: LineOptions<Topic>) {
    const atLeastHalf = () => (1 + options.random()) / 2;
    this.reconnection = new Reconnection(RECONNECTION, () => this.follow(), atLeastHalf);
  }

  follows(topic: Topic): boolean {
    return this.socket?.follows(topic) ?? false;
  }

  /** Subscribes to the wanted topics. A failed connection is reopened only after its pause. */
  follow(): void {
    const wanted = this.closed ? new Set<Topic>() : this.options.wanted();
    if (wanted.size === 0) {
      this.socket?.end();
      this.socket = undefined;
    } else if (this.socket !== undefined) this.socket.follow(wanted);
    else if (!this.reconnection.isWaiting) this.connect();
  }

  close(): void {
    this.closed = true;
    this.reconnection[Symbol.dispose]();
    this.follow();
  }

  private connect(): void {
    const { urls, kind } = this.options;
    const url = urls[this.reconnection.failures % urls.length];
    if (url === undefined) return;
    const socket = new SubscriptionSocket(url, kind, this.options, {
      opened: () => this.follow(),
      acknowledged: () => {
        const isBack = this.isDown;
        this.isDown = false;
        this.followedAtMs = Math.min(this.followedAtMs, performance.now());
        this.options.followed(isBack);
      },
      notified: (topic, result) => this.options.notified(topic, result),
      ended: (reason) => this.lost(socket, reason),
    });
    this.socket = socket;
  }

  private lost(socket: SubscriptionSocket<Topic>, reason: string): void {
    if (this.socket !== socket) return;
    this.socket = undefined;
    const hasHeld = performance.now() - this.followedAtMs >= RECONNECTION.maxMs;
    this.followedAtMs = Infinity;
    if (hasHeld) this.reconnection.failures = 0;
    this.reconnection.failed();
    const isFirst = !this.isDown;
    this.isDown = true;
    this.options.lost(reason, isFirst);
  }
}
