import type { JsonValue } from '../../../platform/kernel/encoding/json.js';
import type { AttemptOutcome } from '../relay.entity.js';
import type { RelayReason, RelayStatus } from '../relay-state.js';

/** The stored facts that decide whether a request may be retried. */
export interface RetryFacts {
  readonly status: RelayStatus;
  readonly reason: RelayReason | null;
  /** Every signature ever made for the request. */
  readonly attempts: readonly {
    /** Null while nothing is proven. */
    readonly outcome: AttemptOutcome | null;
    /** Why it failed on the ledger. */
    readonly failure: JsonValue;
  }[];
}

/**
 * Whether another attempt may begin: only for a failed request, only if none of its transactions can still land, and only if
 * another attempt could succeed. Computed from stored facts each time.
 */
export function isRetryAllowed({ status, reason, attempts }: RetryFacts): boolean {
  if (status !== 'failed') return false;
  if (attempts.some(({ outcome }) => outcome === null || outcome === 'landed')) return false;
  return reason !== 'transaction_failed' || isTransient(attempts.at(-1)?.failure ?? null);
}

/** Failures with a cause outside the transaction: the same instruction can succeed later. Source: Agave, `TransactionError`. */
const TRANSIENT_FAILURES: ReadonlySet<string> = new Set([
  'AccountInUse',
  'InsufficientFundsForFee',
  'InsufficientFundsForRent',
  'ProgramCacheHitMaxLimit',
  'WouldExceedMaxBlockCostLimit',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'WouldExceedAccountDataTotalLimit',
  'WouldExceedMaxVoteCostLimit',
]);

export function isTransient(failure: JsonValue): boolean {
  if (typeof failure === 'string') return TRANSIENT_FAILURES.has(failure);
  if (failure === null || typeof failure !== 'object') return false;
  return Object.keys(failure).some((kind) => TRANSIENT_FAILURES.has(kind));
}
