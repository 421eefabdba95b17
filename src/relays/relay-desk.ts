import type { ProofPool } from '../crypto/index.js';
import { countInWindows, sql, type Foundation, type RateWindow } from '../database/index.js';
import { clientNetwork } from '../kernel/client-network.js';
import { unavailable } from '../kernel/errors.js';
import type { Address } from '../ledger/index.js';
import type { PoolDescriptor } from './pool-descriptor.js';
import { createRelayerBalance, type BalanceNodes, type RelayerBalance } from './relayer-balance.js';
import type { RelayView } from './relay-view.js';
import { createStatusFeed, type StatusFeed } from './status-feed.js';

/** What the relayer takes on. */
export interface RelayLimits {
  /** Submissions and attempts of one client address in a minute; repeats count. */
  readonly perClient: number;
  /** The same of one pool. */
  readonly perPool: number;
  /** Requests that wait for execution. */
  readonly queue: number;
  /** Below this balance the relayer takes on nothing: what it took on already must be paid for. */
  readonly reserveLamports: number;
}

/** What became of a submission: `repeated` is one that was there already. */
export type SubmissionOutcome = 'accepted' | 'repeated' | 'rejected' | 'refused';

/** A submission that was answered. */
export interface Admitted {
  readonly view: RelayView;
  readonly outcome: SubmissionOutcome;
}

export interface RelayDeskMetrics {
  readonly submitted: (outcome: SubmissionOutcome) => void;
}

/** What the door of the relayer stands on. Disposing of it ends the subscriptions. */
export interface RelayDesk extends AsyncDisposable {
  readonly foundation: Foundation;
  /** By selector. */
  readonly pools: ReadonlyMap<string, PoolDescriptor>;
  readonly proofs: ProofPool;
  readonly limits: RelayLimits;
  readonly metrics: RelayDeskMetrics;
  /** Absent where nobody signs: then nothing is taken on. */
  readonly balance: RelayerBalance | undefined;
  readonly feed: StatusFeed;
  /** Submissions that are being decided, by the digest of their package. */
  readonly deciding: Map<string, Promise<Admitted>>;
}

export interface RelayDeskOptions {
  readonly pools: ReadonlyMap<string, PoolDescriptor>;
  readonly proofs: ProofPool;
  readonly nodes: BalanceNodes;
  /** Who pays the fees; `undefined` where there is no key to sign with. */
  readonly relayer: { readonly address: Address } | undefined;
  readonly limits?: Partial<RelayLimits>;
  readonly metrics?: RelayDeskMetrics;
  /** How often subscriptions look without a signal. */
  readonly pollMilliseconds?: number;
}

const DEFAULT_LIMITS: RelayLimits = {
  perClient: 60,
  perPool: 600,
  queue: 10_000,
  reserveLamports: 50_000_000,
};

export function createRelayDesk(foundation: Foundation, options: RelayDeskOptions): RelayDesk {
  const { pools, proofs, nodes, relayer, limits, pollMilliseconds } = options;
  const feed = createStatusFeed(foundation, pollMilliseconds === undefined ? {} : { pollMilliseconds });
  return {
    foundation,
    pools,
    proofs,
    limits: { ...DEFAULT_LIMITS, ...limits },
    metrics: options.metrics ?? { submitted: () => undefined },
    balance: relayer && createRelayerBalance(nodes, relayer.address, foundation.clock),
    feed,
    deciding: new Map(),
    [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose](),
  };
}

/**
 * Counts a submission or an attempt, across all instances. The pool's window comes behind the client's own, so that one
 * client cannot use up everybody's.
 */
export function count({ foundation }: RelayDesk, ...windows: readonly RateWindow[]): Promise<void> {
  return countInWindows(foundation.database, windows, foundation.clock);
}

export const clientWindow = ({ limits }: RelayDesk, clientAddress: string): RateWindow => ({
  key: `relay-client:${clientNetwork(clientAddress)}`,
  limit: limits.perClient,
});

export const poolWindow = ({ limits }: RelayDesk, poolSelector: string): RateWindow => ({
  key: `relay-pool:${poolSelector}`,
  limit: limits.perPool,
});

/**
 * Whether the relayer can take something on.
 * @throws {LucarneError} UNAVAILABLE: `relayer_unavailable`, `low_balance` or `queue_at_capacity`.
 */
export async function requireCapacity({ foundation, balance, limits }: RelayDesk): Promise<void> {
  const lamports = await balance?.();
  if (lamports === undefined)
    throw busy('relayer_unavailable', 'The relayer is not at work. Try again later.', 30);
  if (lamports < limits.reserveLamports)
    throw busy('low_balance', 'The relayer cannot pay fees at present. Try again later.', 60);
  // Counted up to the limit and no further, however many there are.
  const [{ waiting } = { waiting: 0 }] = await foundation.database.rows(sql<{ waiting: number }>`
    select count(*)::integer as waiting from (
      select from relay_requests where status in ('accepted', 'validating', 'queued')
      limit ${limits.queue}) as requests`);
  if (waiting >= limits.queue)
    throw busy('queue_at_capacity', 'Too many relay requests are waiting. Try again later.', 5);
}

const busy = (reason: string, message: string, retryAfterSeconds: number) =>
  unavailable(message, { reason, retryAfterSeconds });
