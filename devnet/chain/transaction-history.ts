import type { ExecutionOutcome, Moment } from './svm-runtime.js';
import type { WireTransaction } from './wire-transaction.js';

export interface LandingPlace extends Moment {
  readonly blockHeight: number;
}

export interface LandedTransaction extends LandingPlace {
  /** Position in the ledger's order, from 0. */
  readonly position: number;
  readonly wire: WireTransaction;
  readonly outcome: ExecutionOutcome;
  /** Every account it names: static keys, then loaded writable, then loaded readonly. */
  readonly keys: readonly string[];
}

/** What landed, in order, found by signature and by every account named. */
export class TransactionHistory {
  private readonly landed: LandedTransaction[] = [];
  private readonly bySignature = new Map<string, LandedTransaction>();
  private readonly byAddress = new Map<string, LandedTransaction[]>();

  get length(): number {
    return this.landed.length;
  }

  append(wire: WireTransaction, place: LandingPlace, outcome: ExecutionOutcome): LandedTransaction {
    const keys = [...wire.accountKeys, ...outcome.loaded.writable, ...outcome.loaded.readonly];
    const { slot, time, blockHeight } = place;
    const transaction = { slot, time, blockHeight, position: this.landed.length, wire, outcome, keys };
    this.landed.push(transaction);
    this.bySignature.set(wire.signature, transaction);
    for (const key of new Set(keys)) {
      const named = this.byAddress.get(key);
      if (named === undefined) this.byAddress.set(key, [transaction]);
      else named.push(transaction);
    }
    return transaction;
  }

  find(signature: string): LandedTransaction | undefined {
    return this.bySignature.get(signature);
  }

  /** Newest first, from the last one on. */
  *newestFirst(address?: string): Generator<LandedTransaction> {
    const list = address === undefined ? this.landed : (this.byAddress.get(address) ?? []);
    for (let index = list.length - 1; index >= 0; index -= 1) yield list[index]!;
  }

  /**
   * A page as Agave's blockstore gives it: an unknown `before` gives nothing, an unknown `until` bounds nothing.
   */
  page(
    address: string,
    bounds: { before?: string | undefined; until?: string | undefined; limit: number },
    visible: (transaction: LandedTransaction) => boolean,
  ): LandedTransaction[] {
    const before = bounds.before === undefined ? undefined : this.find(bounds.before);
    if (bounds.before !== undefined && before === undefined) return [];
    const after = (bounds.until === undefined ? undefined : this.find(bounds.until))?.position ?? -1;
    const page: LandedTransaction[] = [];
    for (const transaction of this.newestFirst(address)) {
      if (transaction.position <= after || page.length >= bounds.limit) break;
      if (transaction.position >= (before?.position ?? Infinity) || !visible(transaction)) continue;
      page.push(transaction);
    }
    return page;
  }
}
