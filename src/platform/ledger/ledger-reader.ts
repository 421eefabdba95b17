import type { Address, Signature } from './address.js';
import type { LedgerError } from './ledger-error.js';
import type { MintAccount } from './token-2022/mint-account.js';

/** One row of an address's history. */
export interface LedgerSignature {
  readonly signature: Signature;
  readonly slot: number;
  /** Whether the transaction failed: it is on the ledger, paid its fee, and changed nothing else. */
  readonly failed: boolean;
  /** Unix seconds; null where the cluster did not agree on a time. */
  readonly blockTime: number | null;
}

export interface LedgerInstruction {
  readonly programId: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
}

export interface LedgerTopLevelInstruction extends LedgerInstruction {
  /** The instructions it caused by cross-program calls, at any depth, in the order they began. */
  readonly inner: readonly LedgerInstruction[];
}

/** A finalized transaction of any version, its account indexes resolved to addresses. */
export interface LedgerTransaction {
  readonly signature: Signature;
  readonly slot: number;
  /** Unix seconds; null where the cluster did not agree on a time. */
  readonly blockTime: number | null;
  readonly version: 'legacy' | 0 | 1;
  readonly failed: boolean;
  /** The fee payer. */
  readonly signer: Address;
  /** Those of the message, then those loaded from lookup tables: writable, then read-only. */
  readonly accountKeys: readonly Address[];
  readonly instructions: readonly LedgerTopLevelInstruction[];
}

/** The outcome of one read among several. `missing`: every provider that answered has no such transaction. */
export type TransactionRead =
  | { readonly status: 'found'; readonly signature: Signature; readonly transaction: LedgerTransaction }
  | { readonly status: 'missing'; readonly signature: Signature }
  | { readonly status: 'failed'; readonly signature: Signature; readonly error: LedgerError };

/**
 * A wake-up, never a truth: one may get lost, and the node that is read next may lag behind. Read by polling.
 *
 * - `mention`: a transaction that names the address was finalized in `slot`
 * - `connected`: from now on everything is announced for all addresses followed; what came before may not have been
 * - `disconnected`: nothing is announced until the next `connected`
 */
export type LedgerSignal =
  | {
      readonly kind: 'mention';
      readonly address: Address;
      readonly signature: Signature;
      readonly slot: number;
    }
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected' };

export interface MentionSubscription extends AsyncDisposable {
  /** Follows further addresses; those already followed are ignored. */
  add(addresses: readonly Address[]): void;
  remove(addresses: readonly Address[]): void;
  close(): void;
}

export interface HistoryPage {
  /** Exclusive; without it the page begins at the newest finalized transaction. */
  readonly before?: Signature;
  /** 1 to 1000, the default. */
  readonly limit?: number;
  /** Refuses a node that has not reached this slot, so that a lagging one cannot hide what a better one showed. */
  readonly minContextSlot?: number;
}

/**
 * What Lucarne reads of the ledger, always at the commitment `finalized`. Every method rejects with a `LedgerError`
 * once its attempts on all providers are used up, and with nothing else.
 */
export interface LedgerReader extends AsyncDisposable {
  mintAccount(address: Address, options?: { readonly minContextSlot?: number }): Promise<MintAccount>;
  finalizedSlot(): Promise<number>;
  /**
   * Newest first. A page shorter than `limit` may still not be the last one; an empty page is. A node that does not
   * know `before` may also answer an empty page, so a walk that must reach a known signature has to see it.
   */
  signaturesFor(address: Address, page?: HistoryPage): Promise<readonly LedgerSignature[]>;
  /** Null when every provider that answered has no such finalized transaction. */
  transaction(signature: Signature): Promise<LedgerTransaction | null>;
  /** One result per signature, in the order asked; never rejects. */
  transactions(signatures: readonly Signature[]): Promise<readonly TransactionRead[]>;
  /** Works while the ledger is down: it keeps trying, and says `connected` when it succeeds. */
  subscribeToMentions(
    addresses: readonly Address[],
    onSignal: (signal: LedgerSignal) => void,
  ): MentionSubscription;
  /** Aborts running calls (`unreachable`) and closes the feed. */
  close(): Promise<void>;
}
