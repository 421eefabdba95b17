import type { JsonValue } from '../kernel/json.js';
import type { AttemptOutcome } from './relay.entity.js';
import type { RelayReason, RelayStatus } from './relay-state.js';

/** What is stored of a request and decides whether it may be tried again. */
export interface RetryFacts {
  readonly status: RelayStatus;
  readonly reason: RelayReason | null;
  /** Every signature ever made for the request. */
  readonly attempts: readonly {
    /** Null: nothing is proven of it yet. */
    readonly outcome: AttemptOutcome | null;
    /** Why it failed on the ledger. */
    readonly failure: JsonValue;
  }[];
}

/**
 * Whether another attempt may begin: only a failed request, and only when none of its transactions can still land and
 * another one could do better. Computed from what is stored, each time it is asked.
 */
export function isRetryAllowed({ status, reason, attempts }: RetryFacts): boolean {
  if (status !== 'failed') return false;
  if (attempts.some(({ outcome }) => outcome === null || outcome === 'landed')) return false;
  return reason !== 'transaction_failed' || isPassing(attempts.at(-1)?.failure ?? null);
}

/** Failures whose cause lies beside the transaction: the same instruction can succeed later. Agave, `TransactionError`. */
const PASSING_FAILURES: ReadonlySet<string> = new Set([
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

export function isPassing(failure: JsonValue): boolean {
  if (typeof failure === 'string') return PASSING_FAILURES.has(failure);
  if (failure === null || typeof failure !== 'object') return false;
  return Object.keys(failure).some((kind) => PASSING_FAILURES.has(kind));
}
