import { isJsonObject, type JsonObject } from '../../kernel/encoding/json.js';
import type { Log } from '../../kernel/log.js';
import { isSignature, type Address } from '../address.js';
import type { LedgerSignal, MentionSubscription } from '../ledger-reader.js';
import { SubscriptionLine } from './subscription-line.js';
import type { SocketTerms, SubscriptionKind } from './subscription-socket.js';

export interface MentionFeedOptions extends SocketTerms {
  /** URLs that are tried in turn. */
  readonly urls: readonly string[];
  readonly log: Log;
  readonly random: () => number;
}

const MENTIONS: SubscriptionKind<Address> = {
  subscribe: 'logsSubscribe',
  unsubscribe: 'logsUnsubscribe',
  notification: 'logsNotification',
  params: (address) => [{ mentions: [address] }, { commitment: 'finalized' }],
  // A notification contains the logs of a transaction: at most 10 KB, unless a provider raises Agave's limit.
  maxMessageBytes: 256 * 1024,
  notifiesOnce: false,
};

interface Listener {
  readonly addresses: Set<Address>;
  readonly onSignal: (signal: LedgerSignal) => void;
  /** Whether `connected` was sent since the connection or the listener's addresses last changed. */
  connected: boolean;
}

/**
 * `logsSubscribe` for any number of addresses on one WebSocket, although the method takes one address at a time. The WebSocket
 * opens with the first listener and closes with the last.
 */
export class MentionFeed {
  private readonly listeners = new Set<Listener>();
  private readonly line: SubscriptionLine<Address>;

  constructor(private readonly options: MentionFeedOptions) {
    this.line = new SubscriptionLine({
      ...options,
      kind: MENTIONS,
      wanted: () => new Set([...this.listeners].flatMap(({ addresses }) => [...addresses])),
      followed: (isBack) => this.announce(isBack),
      notified: (address, result) => this.mention(address, result),
      lost: (reason, isFirst) => this.lost(reason, isFirst),
    });
  }

  subscribe(addresses: readonly Address[], onSignal: (signal: LedgerSignal) => void): MentionSubscription {
    const listener: Listener = { addresses: new Set(addresses), onSignal, connected: false };
    this.listeners.add(listener);
    this.followSoon();
    const close = () => {
      this.listeners.delete(listener);
      this.line.follow();
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
        this.line.follow();
      },
      close,
      [Symbol.asyncDispose]: () => {
        close();
        return Promise.resolve();
      },
    };
  }

  close(): void {
    this.listeners.clear();
    this.line.close();
  }

  /** Deferred, so that a listener is not called before it has its subscription. */
  private followSoon(): void {
    queueMicrotask(() => this.line.follow());
  }

  private announce(isBack: boolean): void {
    if (isBack) this.options.log.info({}, 'The ledger subscription works again.');
    for (const listener of [...this.listeners]) {
      if (listener.connected || ![...listener.addresses].every((each) => this.line.follows(each))) continue;
      listener.connected = true;
      this.tell(listener, { kind: 'connected' });
    }
  }

  private mention(address: Address, { context, value }: JsonObject): void {
    if (!isJsonObject(context) || !isJsonObject(value)) return;
    const { slot } = context;
    const { signature } = value;
    if (typeof slot !== 'number' || !isSignature(signature)) return;
    for (const listener of [...this.listeners]) {
      if (listener.addresses.has(address)) this.tell(listener, { kind: 'mention', address, signature, slot });
    }
  }

  private lost(reason: string, isFirst: boolean): void {
    if (isFirst) this.options.log.warn({ reason }, 'The ledger subscription failed; polling continues.');
    for (const listener of [...this.listeners]) {
      if (listener.connected) this.tell(listener, { kind: 'disconnected' });
      listener.connected = false;
    }
  }

  private tell(listener: Listener, signal: LedgerSignal): void {
    try {
      listener.onSignal(signal);
    } catch (thrown) {
      this.options.log.error(
        { err: thrown, signal: signal.kind },
        'A handler of ledger notifications failed.',
      );
    }
  }
}
