import type { JsonValue } from '../../src/platform/kernel/encoding/json.js';
import type { Chain, Commitment } from '../chain/chain.js';
import { invalidParameters, type RpcParameters } from './parameters.js';
import type { LandedTransaction } from '../chain/transaction-history.js';
import { accountJson, type AccountEncoding } from './transaction-json.js';
import { isWritable } from '../chain/wire-transaction.js';

/** Sends one notification to the client; the number is the subscription's. */
export type Notify = (method: string, subscription: number, result: JsonValue) => void;

interface Subscription {
  readonly commitment: Commitment;
  readonly onTransaction: (transaction: LandedTransaction) => void;
}

const MAX_SUBSCRIPTIONS = 1000;

/** What one WebSocket client subscribed to. Nothing is replayed: like a node, it reports only later events. */
export class RpcSubscriptions {
  private readonly active = new Map<number, Subscription>();
  private readonly slotSubscribers = new Set<number>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly stopListening: () => void;
  private slotTicker: NodeJS.Timeout | undefined;
  private next = 1;

  constructor(
    private readonly chain: Chain,
    private readonly notify: Notify,
  ) {
    this.stopListening = chain.onTransaction((transaction) => this.deliver(transaction));
  }

  /** The answer to a subscription method, or `undefined` when `method` is none. */
  call(method: string, parameters: RpcParameters): JsonValue | undefined {
    switch (method) {
      case 'signatureSubscribe':
        return this.subscribeSignature(parameters);
      case 'logsSubscribe':
        return this.subscribeLogs(parameters);
      case 'accountSubscribe':
        return this.subscribeAccount(parameters);
      case 'slotSubscribe':
        return this.subscribeSlot();
      case 'signatureUnsubscribe':
      case 'logsUnsubscribe':
      case 'accountUnsubscribe':
      case 'slotUnsubscribe':
        return this.unsubscribe(parameters.integer(0));
      case 'ping':
        return 'pong';
      default:
        return undefined;
    }
  }

  close(): void {
    this.stopListening();
    clearInterval(this.slotTicker);
    for (const timer of this.timers) clearTimeout(timer);
    this.active.clear();
  }

  private subscribeSignature(parameters: RpcParameters): number {
    const signature = parameters.signature(0);
    const id = this.add(parameters.options(1).commitment(), (transaction) => {
      if (transaction.wire.signature !== signature) return;
      this.active.delete(id);
      this.notify('signatureNotification', id, at(transaction, { err: transaction.outcome.err }));
    });
    const landed = this.chain.history.find(signature);
    // A client that subscribes after the event is notified at once, but not before it knows its subscription's number.
    if (landed !== undefined) this.after(0, () => this.deliverTo(id, landed));
    return id;
  }

  private subscribeLogs(parameters: RpcParameters): number {
    const filter = readLogsFilter(parameters.value(0));
    const id = this.add(parameters.options(1).commitment(), (transaction) => {
      if (filter !== 'all' && !transaction.keys.includes(filter)) return;
      const { err, logs } = transaction.outcome;
      const { signature } = transaction.wire;
      this.notify('logsNotification', id, at(transaction, { signature, err, logs }));
    });
    return id;
  }

  private subscribeAccount(parameters: RpcParameters): number {
    const address = parameters.address(0);
    const options = parameters.options(1);
    const encoding: AccountEncoding = options.encoding('base58', 'base64', 'jsonParsed');
    const id = this.add(options.commitment(), (transaction) => {
      const index = transaction.keys.indexOf(address);
      if (index < 0 || !isWritable(transaction.wire, index)) return;
      const account = this.chain.account(address, options.commitment()) ?? CLOSED_ACCOUNT;
      this.notify('accountNotification', id, at(transaction, accountJson(account, encoding, undefined)));
    });
    return id;
  }

  private subscribeSlot(): number {
    const id = this.add('processed', () => undefined);
    this.slotSubscribers.add(id);
    let notified = this.chain.slot('processed');
    this.slotTicker ??= setInterval(() => {
      const slot = this.chain.slot('processed');
      if (slot === notified) return;
      notified = slot;
      const result = { parent: slot - 1, root: this.chain.slot('finalized'), slot };
      for (const subscriber of this.slotSubscribers) this.notify('slotNotification', subscriber, result);
    }, this.chain.blockMs);
    return id;
  }

  private unsubscribe(id: number): boolean {
    if (!this.active.delete(id)) throw invalidParameters('Invalid subscription id.');
    this.slotSubscribers.delete(id);
    if (this.slotSubscribers.size === 0) {
      clearInterval(this.slotTicker);
      this.slotTicker = undefined;
    }
    return true;
  }

  private add(commitment: Commitment, onTransaction: Subscription['onTransaction']): number {
    if (this.active.size >= MAX_SUBSCRIPTIONS) throw invalidParameters('Too many subscriptions.');
    const id = this.next;
    this.next += 1;
    this.active.set(id, { commitment, onTransaction });
    return id;
  }

  private deliver(transaction: LandedTransaction): void {
    for (const id of [...this.active.keys()]) this.deliverTo(id, transaction);
  }

  private deliverTo(id: number, transaction: LandedTransaction): void {
    const subscription = this.active.get(id);
    if (subscription === undefined) return;
    if (this.chain.hasReached(subscription.commitment, transaction)) subscription.onTransaction(transaction);
    else this.after(this.chain.finalizationDelayMs, () => this.deliverTo(id, transaction));
  }

  private after(delayMs: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      run();
    }, delayMs);
    this.timers.add(timer);
  }
}

const CLOSED_ACCOUNT = {
  lamports: 0,
  owner: '11111111111111111111111111111111',
  data: new Uint8Array(),
  executable: false,
};

function at(transaction: LandedTransaction, value: JsonValue): JsonValue {
  return { context: { slot: transaction.slot }, value };
}

function readLogsFilter(value: unknown): string {
  if (value === 'all' || value === 'allWithVotes') return 'all';
  const mentions: unknown =
    typeof value === 'object' && value !== null && 'mentions' in value ? value.mentions : undefined;
  // Solana allows exactly one address here.
  if (Array.isArray(mentions) && mentions.length === 1 && typeof mentions[0] === 'string') return mentions[0];
  throw invalidParameters('Invalid Request: logs are subscribed by "all" or by one mentioned address.');
}
