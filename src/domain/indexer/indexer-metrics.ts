import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { IndexingReason } from './mint-state.js';

/** The metrics of the indexer. They are called often, so an implementation must be cheap, and must not throw. */
export interface IndexerMetrics {
  /** Counts ledger transactions that were read. */
  transactionsRead(count: number): void;
  /** Counts records that became visible. */
  recordsIndexed(count: number): void;
  /** `database`: the database failed. `internal`: the indexer has a defect. */
  passFailed(reason: IndexingReason | 'database' | 'internal'): void;
  /** The seconds of one write, from its begin to its commit. */
  writeSeconds(seconds: number): void;
  /** The number of mints that this instance follows, and its maximum. */
  mintsFollowed(count: number, capacity: number): void;
  /** The slots between the last finalized one and the last one up to which a mint is indexed. */
  slotsBehind(mintAddress: string, slots: number): void;
  /** The instance no longer follows the mint. */
  mintLeft(mintAddress: string): void;
}

export function createIndexerMetrics(registry: Registry): IndexerMetrics {
  const registers = [registry];
  const slotsBehind = new Map<string, number>();
  const records = new Counter({
    name: 'lucarne_indexer_records_total',
    help: 'Records written by the indexer of this instance.',
    registers,
  });
  const failures = new Counter({
    name: 'lucarne_indexer_failures_total',
    help: 'Passes of the indexer that failed, by reason.',
    labelNames: ['reason'] as const,
    registers,
  });
  const transactions = new Counter({
    name: 'lucarne_indexer_transactions_total',
    help: 'Ledger transactions that the indexer of this instance read.',
    registers,
  });
  const write = new Histogram({
    name: 'lucarne_indexer_write_duration_seconds',
    help: 'Time of one write of the indexer, from its begin to its commit.',
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5],
    registers,
  });
  const mints = new Gauge({
    name: 'lucarne_indexer_mints',
    help: 'Mints that the indexer of this instance follows.',
    registers,
  });
  const places = new Gauge({
    name: 'lucarne_indexer_mint_places',
    help: 'Maximum number of mints that the indexer of this instance can follow.',
    registers,
  });
  new Gauge({
    name: 'lucarne_indexer_slots_behind',
    help: 'Slots between the last finalized one and the last indexed one, of the mint with the largest lag.',
    registers,
    collect() {
      this.set(Math.max(0, ...slotsBehind.values()));
    },
  });
  return {
    transactionsRead: (count) => transactions.inc(count),
    recordsIndexed: (count) => records.inc(count),
    passFailed: (reason) => failures.inc({ reason }),
    writeSeconds: (seconds) => write.observe(seconds),
    mintsFollowed(count, capacity) {
      mints.set(count);
      places.set(capacity);
    },
    slotsBehind: (mintAddress, slots) => void slotsBehind.set(mintAddress, slots),
    mintLeft: (mintAddress) => void slotsBehind.delete(mintAddress),
  };
}
