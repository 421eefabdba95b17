import { Registry } from 'prom-client';
import type { ProofPool } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { Lanes } from '../../../platform/jobs/index.js';
import { unavailable, type ErrorReason } from '../../../platform/kernel/errors.js';
import type { PoolDescriptor } from '../pools/pool-descriptor.js';
import { DEFAULT_RELAY_BUDGETS, type RelayBudgets } from '../relay-budget.js';
import { createRelayDeskMetrics, type RelayDeskMetrics, type SubmissionOutcome } from '../relay-metrics.js';
import type { Payers } from '../payers/payers.js';
import { createNewestViews, type NewestViews } from '../status/find-relay.js';
import type { RelayView } from '../status/relay-view.js';
import { createStatusFeed, type StatusFeed } from '../status/status-feed.js';
import {
  createAdmissionGroups,
  type AdmissionGroups,
  type RelayLimits,
  type RoomAsked,
  type RoomFound,
} from './admission-groups.js';

/** The result of a submission. */
export interface Admitted {
  readonly view: RelayView;
  readonly outcome: SubmissionOutcome;
}

/** What admission needs. Disposal ends the subscriptions. */
export interface RelayDesk extends AsyncDisposable {
  readonly foundation: Foundation;
  /** Pools by selector. */
  readonly pools: ReadonlyMap<string, PoolDescriptor>;
  readonly proofs: ProofPool;
  readonly limits: RelayLimits;
  readonly metrics: RelayDeskMetrics;
  readonly payers: Payers;
  readonly feed: StatusFeed;
  readonly groups: AdmissionGroups;
  readonly newestViews: NewestViews;
  /** Submissions that are being verified, by the digest of the package. */
  readonly deciding: Map<string, Promise<Admitted>>;
  /** One lane for each nullifier, and for each request that is tried again: see {@link inTurn}. */
  readonly turns: Lanes;
}

export interface RelayDeskOptions {
  readonly pools: ReadonlyMap<string, PoolDescriptor>;
  readonly proofs: ProofPool;
  /** If no payer has a key and its reserve, the relayer accepts nothing. */
  readonly payers: Payers;
  readonly limits?: Partial<RelayLimits>;
  readonly budgets?: RelayBudgets;
  readonly metrics?: RelayDeskMetrics;
  /** Interval at which subscriptions check for changes without a signal. */
  readonly pollMs?: number;
}

const DEFAULT_LIMITS: RelayLimits = {
  perClient: 60,
  invalidPerClient: 10,
  perPool: 600,
  queue: 10_000,
};

export function createRelayDesk(foundation: Foundation, options: RelayDeskOptions): RelayDesk {
  const { pools, proofs, payers, pollMs } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const budgets = options.budgets ?? DEFAULT_RELAY_BUDGETS;
  const feed = createStatusFeed(foundation, pollMs === undefined ? {} : { pollMs });
  return {
    foundation,
    pools,
    proofs,
    limits,
    metrics: options.metrics ?? createRelayDeskMetrics(new Registry(), foundation.database),
    payers,
    feed,
    groups: createAdmissionGroups(foundation, limits, budgets),
    newestViews: createNewestViews(foundation),
    deciding: new Map(),
    turns: new Lanes(() => 1),
    [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose](),
  };
}

/**
 * Runs work that counts for a pool and then changes something, one after the other for each name. Work that loses what an
 * earlier one took finds it taken, and counts nothing.
 */
export function inTurn<Result>(
  { turns }: RelayDesk,
  names: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  // All take their lanes in one order, so that two never wait for each other.
  const lanes = [...new Set(names)].toSorted();
  return lanes.reduceRight((inner, name) => () => turns.run(name, inner), work)();
}

/** The facts that decide whether the relayer can accept a request. */
export interface Room extends RoomFound {
  /** Whether a payer has its reserve; `undefined` if there is no payer, or none is known to have it. */
  readonly canPay: boolean | undefined;
  /** Number of requests that wait for execution. */
  readonly waiting: number;
}

/** Reads everything at once, because a submitter waits for it. */
export async function readRoom({ payers, groups }: RelayDesk, asked: RoomAsked): Promise<Room> {
  const [canPay, waiting, found] = await Promise.all([
    payers.canPay(),
    groups.countWaiting(),
    groups.findRoom(asked),
  ]);
  return { canPay, waiting, ...found };
}

/**
 * Checks that the relayer can accept a request.
 * @throws {LucarneError} UNAVAILABLE: `relayer_unavailable`, `low_balance` or `queue_at_capacity`.
 */
export function requireRoom({ limits, metrics }: RelayDesk, { canPay, waiting, usedUp }: Room): void {
  if (canPay === undefined)
    throw busy(
      'relayer_unavailable',
      'The relayer does not accept requests at present. Try again later.',
      30,
    );
  if (!canPay) throw busy('low_balance', 'The relayer cannot pay fees at present. Try again later.', 60);
  if (waiting >= limits.queue)
    throw busy('queue_at_capacity', 'Too many relay requests are waiting. Try again later.', 5);
  if (!usedUp) return;
  const { scope, secondsLeft } = usedUp;
  metrics.budgetUsedUp(scope.of);
  const whose = scope.of === 'pool' ? 'the pool' : 'your address';
  throw busy('low_balance', `Today’s relay budget of ${whose} is used up. Try again later.`, secondsLeft);
}

const busy = (reason: ErrorReason, message: string, retryAfterSeconds: number) =>
  unavailable(message, { reason, retryAfterSeconds });
