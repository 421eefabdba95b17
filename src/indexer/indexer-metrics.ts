import type { IndexingReason } from './mint-state.js';

/** What the indexer counts. Called often, so an implementation must be cheap, and must not throw. */
export interface IndexerMetrics {
  /** Counter: ledger transactions read. */
  transactionsRead(count: number): void;
  /** Counter: records that became visible. */
  recordsIndexed(count: number): void;
  /** Counter, by reason; `database` when the database failed. */
  passFailed(reason: IndexingReason | 'database' | 'internal'): void;
  /** Histogram: seconds of one write, from its begin to its commit. */
  writeSeconds(seconds: number): void;
  /** Gauge: the mints this instance follows. */
  mintsFollowed(count: number): void;
  /** Gauge: slots between the last finalized one and the last one a mint is indexed up to. */
  slotsBehind(mintAddress: string, slots: number): void;
  /** The gauges of a mint end with its lease. */
  mintLeft(mintAddress: string): void;
}

export const noMetrics: IndexerMetrics = {
  transactionsRead: () => undefined,
  recordsIndexed: () => undefined,
  passFailed: () => undefined,
  writeSeconds: () => undefined,
  mintsFollowed: () => undefined,
  slotsBehind: () => undefined,
  mintLeft: () => undefined,
};
