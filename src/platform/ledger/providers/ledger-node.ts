import type { Address, Signature } from '../address.js';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** The node answers only as of this slot or a later one. A node that has not reached it refuses (`rpc`, -32016). */
export interface AsOf {
  readonly minContextSlot?: number;
}

/** Why a transaction failed, as the node's JSON: `"BlockhashNotFound"`, `{"InstructionError":…}`. */
export type TransactionFailure = string | { readonly [kind: string]: unknown };

export interface LatestBlockhash {
  readonly slot: number;
  readonly blockhash: string;
  /** A transaction with this blockhash cannot land in a block higher than this. */
  readonly lastValidBlockHeight: number;
}

/** How far a node is. `blockHeight` counts blocks; `slot` also counts slots without a block. */
export interface LedgerHeight {
  readonly slot: number;
  readonly blockHeight: number;
}

export interface SignatureStatus {
  readonly slot: number;
  readonly commitment: Commitment;
  /** Null if the transaction succeeded. */
  readonly failure: TransactionFailure | null;
}

export interface Simulation {
  readonly slot: number;
  readonly failure: TransactionFailure | null;
  readonly unitsConsumed: number;
  /** Lamports of the requested account after the transaction; null if it does not exist or was not requested. */
  readonly lamportsAfter: number | null;
}

/** The final result of a transaction on the ledger. */
export interface FinalizedOutcome {
  readonly slot: number;
  readonly failure: TransactionFailure | null;
  /** In lamports. */
  readonly fee: number;
  /** Whether the balances before and after show that the payer paid at least the fee. */
  readonly isFeePaid: boolean;
  /** What the payer's balance lost, in lamports: the fee, rent and payments; 0 if it gained. */
  readonly paidLamports: number;
}

/**
 * A single provider, whose answers count separately. Every method makes one attempt at this node and rejects only with a
 * `LedgerError`. Answers that contradict the request are `nonsense`.
 */
export interface LedgerNode {
  /** Host and position. A provider's path and query often contain its key. */
  readonly label: string;
  /** At `finalized` (`getEpochInfo`). A block height above the slot is nonsense. */
  finalizedHeight(): Promise<LedgerHeight>;
  /** At `confirmed`. */
  latestBlockhash(asOf?: AsOf): Promise<LatestBlockhash>;
  /** The owner program of each account, in the requested order; null if there is no account. At most 100. */
  accountOwners(
    addresses: readonly Address[],
    question: AsOf & { readonly commitment: 'confirmed' | 'finalized' },
  ): Promise<{ readonly slot: number; readonly owners: readonly (Address | null)[] }>;
  /** At `confirmed` by default. Does not check signatures or replace the blockhash. Also returns the balance of `account`. */
  simulate(
    transaction: Uint8Array,
    question?: AsOf & { readonly commitment?: 'processed' | 'confirmed'; readonly account?: Address },
  ): Promise<Simulation>;
  /**
   * Sends the signed bytes, with preflight at `confirmed` and `maxRetries: 0`. Success proves only that this node accepted
   * them. An answer with another signature is nonsense. A refusal has an `rpcCode`, and a `failure` if the preflight failed.
   */
  send(transaction: Uint8Array, signature: Signature, asOf?: AsOf): Promise<void>;
  /** Searches the whole history. Returns statuses in the requested order, and the lowest slot; null if the node knows none. */
  signatureStatuses(
    signatures: readonly Signature[],
  ): Promise<{ readonly slot: number; readonly statuses: readonly (SignatureStatus | null)[] }>;
  /** Returns null if the node has no such finalized transaction. */
  finalizedOutcome(signature: Signature): Promise<FinalizedOutcome | null>;
  /** At `finalized`: whether a transaction with this blockhash can still land. */
  blockhashValidity(
    blockhash: string,
    asOf?: AsOf,
  ): Promise<{ readonly slot: number; readonly valid: boolean }>;
  /**
   * The oldest finalized transaction that succeeded and in which the program used the account. For an account of the program,
   * this is the one that created it. Returns null if the node shows none. Rejects with a timeout if one search did not read
   * enough; the next search continues.
   */
  creatorOf(account: Address, program: Address): Promise<Signature | null>;
  /** Lamports, at `confirmed` by default; 0 if there is no account. */
  balance(
    address: Address,
    question?: { readonly commitment?: 'processed' | 'confirmed' },
  ): Promise<{ readonly slot: number; readonly lamports: number }>;
  /** What transactions that recently wrote to these accounts paid per compute unit, in micro-lamports. At most 128 accounts. */
  recentPrioritizationFees(addresses: readonly Address[]): Promise<readonly number[]>;
}

/** Every configured provider, in the order of the configuration. Closing it aborts running calls. */
export interface LedgerNodes extends AsyncDisposable {
  readonly nodes: readonly LedgerNode[];
}
