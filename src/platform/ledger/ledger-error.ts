import type { TransactionFailure } from './providers/ledger-node.js';

/**
 * What can go wrong between Lucarne and a provider.
 *
 * - `unreachable`: no connection, a connection cut short, an HTTP status other than 200 and 429, or closed by us
 * - `timeout`: no whole answer within the time given to a call
 * - `rate_limited`: HTTP 429, or JSON-RPC's own form of it
 * - `nonsense`: an answer that is not JSON-RPC 2.0, has the wrong shape, or contradicts the question
 * - `rpc`: a well-formed refusal by the node; `rpcCode` tells which
 */
export type LedgerErrorKind = 'unreachable' | 'timeout' | 'rate_limited' | 'nonsense' | 'rpc';

export interface LedgerErrorDetail {
  /** The node's JSON-RPC error code, with kind `rpc`. */
  readonly rpcCode?: number;
  /** Why a transaction that the node refuses would fail, when it says so. */
  readonly failure?: TransactionFailure | undefined;
  /** How long the provider asked callers to wait. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The one error of this room. The message names no URL: a provider's URL often carries its key. */
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
