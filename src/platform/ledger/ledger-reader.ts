import type { Address, Signature } from './address.js';
import type { LedgerError } from './ledger-error.js';
import type { MintAccount } from './token-2022/mint-account.js';

/** An entry in the history of an address. */
export interface LedgerSignature {
  readonly signature: Signature;
  readonly slot: number;
  /** Whether the transaction failed: it is on the ledger, paid its fee, and changed nothing else. */
  readonly failed: boolean;
  /** Unix seconds; null if the cluster did not agree on a time. */
  readonly blockTime: number | null;
}

export interface LedgerInstruction {
  readonly programId: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
}

export interface LedgerTopLevelInstruction extends LedgerInstruction {
  /** The instructions that it caused by cross-program calls, at any depth, in the order in which they began. */
  readonly inner: readonly LedgerInstruction[];
}

/** A finalized transaction of any version, with its account indexes resolved to addresses. */
export interface LedgerTransaction {
  readonly signature: Signature;
  readonly slot: number;
  /** Unix seconds; null if the cluster did not agree on a time. */
  readonly blockTime: number | null;
  readonly version: 'legacy' | 0 | 1;
  readonly failed: boolean;
  /** The fee payer. */
  readonly signer: Address;
  /** The accounts of the message, then those loaded from lookup tables: writable, then read-only. */
  readonly accountKeys: readonly Address[];
  readonly instructions: readonly LedgerTopLevelInstruction[];
}

/** The result of one read of several. `missing`: no provider that answered has the transaction. */
export type TransactionRead =
  | { readonly status: 'found'; readonly signature: Signature; readonly transaction: LedgerTransaction }
  | { readonly status: 'missing'; readonly signature: Signature }
  | { readonly status: 'failed'; readonly signature: Signature; readonly error: LedgerError };

/**
 * A wake-up, which proves nothing: it may be lost, and the node that is read next may lag. Poll as well.
 *
 * - `mention`: a transaction that names the address was finalized in `slot`
 * - `connected`: from now on, everything is announced for all followed addresses; earlier transactions may have been missed
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
  /** Follows further addresses. Addresses that are already followed are ignored. */
  add(addresses: readonly Address[]): void;
  remove(addresses: readonly Address[]): void;
  close(): void;
}

export interface HistoryPage {
  /** Exclusive. Without it, the page begins at the newest finalized transaction. */
  readonly before?: Signature;
  /** 1 to 1000. Default: 1000. */
  readonly limit?: number;
  /** Refuses a node that has not reached this slot, so that a lagging node cannot hide what another node showed. */
  readonly minContextSlot?: number;
}

/**
 * Reads the ledger, always at the commitment `finalized`. Every method rejects only with a `LedgerError`, after all attempts on
 * all providers have failed.
 */
export interface LedgerReader extends AsyncDisposable {
  mintAccount(address: Address, options?: { readonly minContextSlot?: number }): Promise<MintAccount>;
  finalizedSlot(): Promise<number>;
  /**
   * Returns transactions, newest first. A page shorter than `limit` may not be the last page; an empty page is. A node that
   * does not know `before` may also return an empty page, so a walk that must reach a known signature has to see it.
   */
  signaturesFor(address: Address, page?: HistoryPage): Promise<readonly LedgerSignature[]>;
  /** Returns null if no provider that answered has such a finalized transaction. */
  transaction(signature: Signature): Promise<LedgerTransaction | null>;
  /** One result for each signature, in the requested order. Never rejects. */
  transactions(signatures: readonly Signature[]): Promise<readonly TransactionRead[]>;
  /** Works while the ledger is unavailable: it retries, and sends `connected` when it succeeds. */
  subscribeToMentions(
    addresses: readonly Address[],
    onSignal: (signal: LedgerSignal) => void,
  ): MentionSubscription;
  /** Aborts running calls (`unreachable`) and closes the feed. */
  close(): Promise<void>;
}
