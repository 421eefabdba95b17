import { Registry } from 'prom-client';
import type { Foundation } from '../../platform/database/index.js';
import { MINTS_TOPIC } from '../assets/index.js';
import type { LedgerReader } from '../../platform/ledger/index.js';
import { createIndexerMetrics, type IndexerMetrics } from './indexer-metrics.js';
import { DEFAULT_TIMING, type IndexerTiming } from './indexer-timing.js';
import { MintFollower } from './mint-follower.js';
import {
  claimMints,
  fairShare,
  leaveWorkers,
  type MintLease,
  mintsToYield,
  releaseLease,
  renewLeases,
} from './mint-lease.js';
import type { MintState } from './mint-state.js';
import { backOffMs, createPollLoop, pause } from '../../platform/jobs/index.js';

export interface IndexerOptions {
  readonly foundation: Pick<Foundation, 'database' | 'signals' | 'log'>;
  readonly ledger: LedgerReader;
  /** Identifies this worker in leases. Different for each process and each start. */
  readonly instanceId: string;
  readonly metrics?: IndexerMetrics;
  readonly timing?: Partial<IndexerTiming>;
  /** Maximum number of mints that this worker follows. Default: 256. */
  readonly capacity?: number;
  /** Transactions that are fetched and committed together. Default: 1000. */
  readonly chunkSize?: number;
}

export interface IndexerState {
  readonly isRunning: boolean;
  readonly mints: readonly (MintState & Pick<MintLease, 'assetId' | 'mintAddress'>)[];
}

/** A worker that keeps the bound mints indexed, together with all others on the same database. */
export interface Indexer extends AsyncDisposable {
  readonly state: IndexerState;
  /** Returns immediately: neither the database nor the ledger needs to be available. */
  start(): void;
  /** Ends running work, waits for it up to the limit, and releases the mints to other workers. */
  stop(): Promise<void>;
}

/** How long a stop waits for running work. Later writes would be refused anyway. */
const STOP_TIMEOUT_MS = 5_000;

interface Follow {
  readonly follower: MintFollower;
  readonly ended: Promise<void>;
}

export function createIndexer(options: IndexerOptions): Indexer {
  const { foundation, ledger, instanceId, capacity = 256, chunkSize = 1_000 } = options;
  const { metrics = createIndexerMetrics(new Registry()) } = options;
  const { database, signals, log } = foundation;
  const timing: IndexerTiming = { ...DEFAULT_TIMING, ...options.timing };
  const claim = { owner: instanceId, capacity, durationMs: timing.leaseMs };
  const follows = new Map<string, Follow>();
  let renewedAt = -Infinity;
  let isRunning = false;

  function follow(lease: MintLease): void {
    const follower = new MintFollower({ foundation, ledger, lease, metrics, timing, chunkSize });
    const ended = follower.run().then(() => {
      if (follows.get(lease.assetId)?.follower === follower) follows.delete(lease.assetId);
    });
    follows.set(lease.assetId, { follower, ended });
  }

  async function release(follows: readonly Follow[]): Promise<void> {
    for (const { follower } of follows) follower.stop();
    await within(STOP_TIMEOUT_MS, Promise.all(follows.map(({ ended }) => ended)));
    for (const { follower } of follows) await releaseLease(database, follower.lease);
  }

  /** Renews the leases, and restarts followers that ended because of an error. */
  async function renew(): Promise<void> {
    const held = new Map((await renewLeases(database, claim)).map((lease) => [lease.assetId, lease]));
    for (const { follower } of follows.values()) {
      if (held.get(follower.lease.assetId)?.fencingToken !== follower.lease.fencingToken) follower.stop();
    }
    for (const lease of held.values()) if (!follows.has(lease.assetId)) follow(lease);
    renewedAt = performance.now();
  }

  async function share(): Promise<void> {
    if (performance.now() - renewedAt >= timing.leaseMs / 3) await renew();
    const share = await fairShare(database, claim);
    // Fewer than it can hold, so no mint waits.
    if (share === capacity && follows.size >= share) {
      const yielded = new Set<string>(await mintsToYield(database, claim));
      await release([...follows.values()].filter(({ follower }) => yielded.has(follower.lease.assetId)));
    }
    const surplus = follows.size - share;
    if (surplus > 0) await release([...follows.values()].slice(-surplus));
    if (surplus < 0) for (const lease of await claimMints(database, claim, -surplus)) follow(lease);
    metrics.mintsFollowed(follows.size, capacity);
  }

  async function leave(): Promise<void> {
    try {
      await release([...follows.values()]);
      await leaveWorkers(database, instanceId);
    } catch (thrown) {
      log.warn({ err: thrown }, 'Releasing the leases failed. They expire by themselves.');
    }
    metrics.mintsFollowed(0, 0);
  }

  const loop = createPollLoop({
    pollMs: timing.claimIntervalMs,
    retryMs: (failures) => Math.max(timing.claimIntervalMs, backOffMs(timing.retry, failures)),
    turn: share,
    failed: (thrown, failures) => log.error({ err: thrown, failures }, 'Claiming mints failed.'),
    listen: (wake) => signals.listen(MINTS_TOPIC, wake),
    ended: leave,
  });

  function start(): void {
    isRunning = true;
    loop.start();
  }

  async function stop(): Promise<void> {
    isRunning = false;
    await loop.stop();
  }

  return {
    get state() {
      return {
        isRunning,
        mints: [...follows.values()].map(({ follower: { lease, state } }) => ({
          assetId: lease.assetId,
          mintAddress: lease.mintAddress,
          ...state,
        })),
      };
    },
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([work, pause(timeoutMs, limit.signal)]);
  limit.abort();
}
