import { Registry } from 'prom-client';
import type { ProofPool } from '../../../platform/crypto/index.js';
import {
  countInWindows,
  query,
  sql,
  type Foundation,
  type RateWindow,
} from '../../../platform/database/index.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import { unavailable, type ErrorReason } from '../../../platform/kernel/errors.js';
import type { PoolDescriptor } from '../pools/pool-descriptor.js';
import { budgetScopes, DEFAULT_RELAY_BUDGETS, usedUpBudget, type RelayBudgets } from '../relay-budget.js';
import { createRelayDeskMetrics, type RelayDeskMetrics, type SubmissionOutcome } from '../relay-metrics.js';
import type { Payers } from '../payers/payers.js';
import type { RelayView } from '../status/relay-view.js';
import { createStatusFeed, type StatusFeed } from '../status/status-feed.js';

/** How much the relayer accepts. */
export interface RelayLimits {
  /** Submissions and attempts of one client address in a minute, repeats included. */
  readonly perClient: number;
  /** Packages whose proof does not verify, of one client address in a minute. */
  readonly invalidPerClient: number;
  /** Accepted packages and attempts of one pool in a minute: only those whose proof verifies. */
  readonly perPool: number;
  /** Requests that wait for execution. */
  readonly queue: number;
}

/** An answered submission. */
export interface Admitted {
  readonly view: RelayView;
  readonly outcome: SubmissionOutcome;
}

/** What admission needs. Disposing of it ends the subscriptions. */
export interface RelayDesk extends AsyncDisposable {
  readonly foundation: Foundation;
  /** By selector. */
  readonly pools: ReadonlyMap<string, PoolDescriptor>;
  readonly proofs: ProofPool;
  readonly limits: RelayLimits;
  readonly budgets: RelayBudgets;
  readonly metrics: RelayDeskMetrics;
  readonly payers: Payers;
  readonly feed: StatusFeed;
  /** Submissions that are being verified, by the digest of their package. */
  readonly deciding: Map<string, Promise<Admitted>>;
}

export interface RelayDeskOptions {
  readonly pools: ReadonlyMap<string, PoolDescriptor>;
  readonly proofs: ProofPool;
  /** Where none has a key and its reserve, nothing is accepted. */
  readonly payers: Payers;
  readonly limits?: Partial<RelayLimits>;
  readonly budgets?: RelayBudgets;
  readonly metrics?: RelayDeskMetrics;
  /** How often subscriptions look without a signal. */
  readonly pollMs?: number;
}

const DEFAULT_LIMITS: RelayLimits = {
  perClient: 60,
  invalidPerClient: 10,
  perPool: 600,
  queue: 10_000,
};

export function createRelayDesk(foundation: Foundation, options: RelayDeskOptions): RelayDesk {
  const { pools, proofs, payers, limits, pollMs } = options;
  const feed = createStatusFeed(foundation, pollMs === undefined ? {} : { pollMs });
  return {
    foundation,
    pools,
    proofs,
    limits: { ...DEFAULT_LIMITS, ...limits },
    budgets: options.budgets ?? DEFAULT_RELAY_BUDGETS,
    metrics: options.metrics ?? createRelayDeskMetrics(new Registry(), foundation.database),
    payers,
    feed,
    deciding: new Map(),
    [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose](),
  };
}

/**
 * Counts a submission or an attempt, across all instances. The pool's window comes after the client's, so that one client
 * cannot use up the window that all share.
 */
export function count({ foundation }: RelayDesk, ...windows: readonly RateWindow[]): Promise<void> {
  return countInWindows(foundation, windows);
}

export const clientWindow = ({ limits }: RelayDesk, clientAddress: string): RateWindow => ({
  key: `relay-client:${clientNetwork(clientAddress)}`,
  limit: limits.perClient,
});

/** Invalid proofs have a separate window, so that they cost their client and nobody else. */
export const invalidProofWindow = ({ limits }: RelayDesk, clientAddress: string): RateWindow => ({
  key: `relay-invalid:${clientNetwork(clientAddress)}`,
  limit: limits.invalidPerClient,
});

export const poolWindow = ({ limits }: RelayDesk, poolSelector: string): RateWindow => ({
  key: `relay-pool:${poolSelector}`,
  limit: limits.perPool,
});

/**
 * Checks that the relayer can accept a request.
 * @throws {LucarneError} UNAVAILABLE: `relayer_unavailable`, `low_balance` or `queue_at_capacity`.
 */
export async function requireCapacity({ foundation, payers, limits }: RelayDesk): Promise<void> {
  const canPay = await payers.canPay();
  if (canPay === undefined)
    throw busy(
      'relayer_unavailable',
      'The relayer does not accept requests at present. Try again later.',
      30,
    );
  if (!canPay) throw busy('low_balance', 'The relayer cannot pay fees at present. Try again later.', 60);
  // Counted up to the limit only, so that a long queue costs no more.
  const [{ waiting } = { waiting: 0 }] = await foundation.database.rows(
    query
      .selectFrom((from) =>
        from
          .selectFrom('relay_requests')
          .select('id')
          .where('status', 'in', ['accepted', 'validating', 'queued'])
          .limit(limits.queue)
          .as('waiting'),
      )
      .select(sql<number>`count(*)::integer`.as('waiting')),
  );
  if (waiting >= limits.queue)
    throw busy('queue_at_capacity', 'Too many relay requests are waiting. Try again later.', 5);
}

/**
 * Checks that there is something left of the day's budgets.
 * @throws {LucarneError} UNAVAILABLE: `low_balance`.
 */
export async function requireBudget(
  { foundation: { database, sealer }, budgets, metrics }: RelayDesk,
  poolSelector: string,
  clientHash: Uint8Array | null,
): Promise<void> {
  const usedUp = await usedUpBudget(database, budgetScopes(sealer, budgets, poolSelector, clientHash));
  if (!usedUp) return;
  const { scope, secondsLeft } = usedUp;
  metrics.budgetUsedUp(scope.of);
  const whose = scope.of === 'pool' ? 'the pool' : 'your address';
  throw busy('low_balance', `Today’s relay budget of ${whose} is used up. Try again later.`, secondsLeft);
}

const busy = (reason: ErrorReason, message: string, retryAfterSeconds: number) =>
  unavailable(message, { reason, retryAfterSeconds });
