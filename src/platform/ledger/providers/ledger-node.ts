import type { Address, Signature } from '../address.js';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** The node answers only as of this slot or a later one; one that has not reached it refuses (`rpc`, -32016). */
export interface AsOf {
  readonly minContextSlot?: number;
}

/** Why the ledger did not do what a transaction says, as the node's JSON: `"BlockhashNotFound"`, `{"InstructionError":…}`. */
export type TransactionFailure = string | { readonly [kind: string]: unknown };

export interface LatestBlockhash {
  readonly slot: number;
  readonly blockhash: string;
  /** A transaction with this blockhash cannot land in a block higher than this. */
  readonly lastValidBlockHeight: number;
}

/** How far a node is: `blockHeight` counts blocks, `slot` also the slots without one. */
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
  /** Lamports of the account asked about after the transaction; null where it does not exist or was not asked about. */
  readonly lamportsAfter: number | null;
}

/** The transaction as the ledger keeps it forever. */
export interface FinalizedOutcome {
  readonly slot: number;
  readonly failure: TransactionFailure | null;
  /** Lamports. */
  readonly fee: number;
  /** Whether the balances before and after show that the payer paid at least the fee. */
  readonly isFeePaid: boolean;
}

/**
 * A single provider, whose answers count as separate testimony. Every method makes one attempt at this node and rejects
 * only with a `LedgerError`. Answers that contradict the request are `nonsense`.
 */
export interface LedgerNode {
  /** Host and position: a provider's path and query often hold its key. */
  readonly label: string;
  /** At `finalized` (`getEpochInfo`); a block height above the slot is nonsense. */
  finalizedHeight(): Promise<LedgerHeight>;
  /** At `confirmed`. */
  latestBlockhash(asOf?: AsOf): Promise<LatestBlockhash>;
  /** The owner program of each account, null where there is none, in the order asked; at most 100. */
  accountOwners(
    addresses: readonly Address[],
    question: AsOf & { readonly commitment: 'confirmed' | 'finalized' },
  ): Promise<{ readonly slot: number; readonly owners: readonly (Address | null)[] }>;
  /**
   * At `confirmed`, unless asked otherwise, without checking signatures or replacing the blockhash; also tells the balance of
   * `account`.
   */
  simulate(
    transaction: Uint8Array,
    question?: AsOf & { readonly commitment?: 'processed' | 'confirmed'; readonly account?: Address },
  ): Promise<Simulation>;
  /**
   * Hands the signed bytes over, with preflight at `confirmed` and `maxRetries: 0`. Its answer proves that one node took
   * them, and nothing more. A node that names another signature than `signature` is nonsense; what the node refuses has
   * `rpcCode`, and `failure` when its preflight failed.
   */
  send(transaction: Uint8Array, signature: Signature, asOf?: AsOf): Promise<void>;
  /** With the whole history searched; null where the node knows none, in the order asked; at most 256. */
  signatureStatuses(
    signatures: readonly Signature[],
  ): Promise<{ readonly slot: number; readonly statuses: readonly (SignatureStatus | null)[] }>;
  /** Null: the node has no such finalized transaction. */
  finalizedOutcome(signature: Signature): Promise<FinalizedOutcome | null>;
  /** At `finalized`: whether a transaction with this blockhash can still land. */
  blockhashValidity(
    blockhash: string,
    asOf?: AsOf,
  ): Promise<{ readonly slot: number; readonly valid: boolean }>;
  /**
   * The oldest finalized transaction that succeeded and in which the program used the account: for an account of the
   * program, the one that created it. Null: the node shows none. Rejects with a timeout where one search did not read enough; the
   * next one continues.
   */
  creatorOf(account: Address, program: Address): Promise<Signature | null>;
  /** Lamports, at `confirmed` unless asked otherwise; 0 where there is no account. */
  balance(
    address: Address,
    question?: { readonly commitment?: 'processed' | 'confirmed' },
  ): Promise<{ readonly slot: number; readonly lamports: number }>;
  /** What transactions that wrote to these accounts lately paid per compute unit, in micro-lamports; at most 128. */
  recentPrioritizationFees(addresses: readonly Address[]): Promise<readonly number[]>;
}

/** Every configured provider, in the order of the configuration. Closing aborts running calls. */
export interface LedgerNodes extends AsyncDisposable {
  readonly nodes: readonly LedgerNode[];
}
