import type { TransactionFailure } from './providers/ledger-node.js';

/**
 * What can go wrong between Lucarne and a provider.
 *
 * - `unreachable`: no connection, an interrupted connection, an HTTP status other than 200 and 429, or closed by Lucarne
 * - `timeout`: no complete answer within the time limit of a call
 * - `rate_limited`: HTTP 429, or the equivalent JSON-RPC error
 * - `nonsense`: an answer that is not JSON-RPC 2.0, has the wrong shape, or contradicts the question
 * - `rpc`: a well-formed refusal by the node, with its `rpcCode`
 */
export type LedgerErrorKind = 'unreachable' | 'timeout' | 'rate_limited' | 'nonsense' | 'rpc';

export interface LedgerErrorDetail {
  /** The node's JSON-RPC error code, with kind `rpc`. */
  readonly rpcCode?: number;
  /** Why a transaction that the node refuses would fail, if the node states it. */
  readonly failure?: TransactionFailure | undefined;
  /** How long the provider asked callers to wait. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The only error class of this folder. The message contains no URL: a provider's URL often contains its key. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  readonly kind: LedgerErrorKind;
  readonly rpcCode: number | undefined;
  readonly failure: TransactionFailure | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: LedgerErrorKind, message: string, detail: LedgerErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.kind = kind;
    this.rpcCode = detail.rpcCode;
    this.failure = detail.failure;
    this.retryAfterMs = detail.retryAfterMs;
  }
}

export const nonsense = (message: string, cause?: unknown) =>
  new LedgerError('nonsense', message, cause === undefined ? {} : { cause });
