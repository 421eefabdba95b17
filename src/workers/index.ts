import { createSequencer, longestWait, type SequencerMetrics } from '../activity-log/index.js';
import type { Role } from '../config.js';
import type { Foundation } from '../database/index.js';
import { createDisclosureWorker, type Fulfilment } from '../disclosures/index.js';
import { createIndexer, type IndexerMetrics } from '../indexer/index.js';
import type { LedgerReader } from '../ledger/index.js';
import type { Metrics } from '../operations/index.js';
import { createReportSweeper } from '../reports/index.js';

export interface WorkersOptions {
  readonly roles: ReadonlySet<Role>;
  readonly foundation: Foundation;
  readonly ledger: LedgerReader;
  readonly fulfilment: Fulfilment;
  readonly metrics: Metrics;
  readonly instanceId: string;
  /** The host that readers know this service by. */
  readonly publicHost: string;
}

/** Starts the loops of this instance's roles. Disposing of them ends each at a safe point and gives up its leases. */
export function startWorkers(options: WorkersOptions): AsyncDisposable {
  const { roles, foundation, ledger, fulfilment, metrics, instanceId, publicHost } = options;
  const loops = new AsyncDisposableStack();
  if (roles.has('indexer')) {
    const indexer = loops.use(
      createIndexer({ foundation, ledger, instanceId, metrics: indexerMetrics(metrics) }),
    );
    indexer.start();
    // Sweeps what an instance decided and did not finish, so it runs where the long work does.
    const disclosures = loops.use(createDisclosureWorker({ foundation, fulfilment }));
    disclosures.start();
    const reports = loops.use(createReportSweeper({ foundation }));
    reports.start();
    const sequencer = loops.use(
      createSequencer({ foundation, publicHost, metrics: sequencerMetrics(metrics, foundation) }),
    );
    sequencer.start();
  }
  return loops;
}

function indexerMetrics(metrics: Metrics): IndexerMetrics {
  const slotsBehind = new Map<string, number>();
  metrics.watchIndexer(() => ({
    mints: slotsBehind.size,
    slotsBehind: Math.max(0, ...slotsBehind.values()),
  }));
  return {
    transactionsRead: (count) => metrics.indexedTransactions.inc(count),
    recordsIndexed: (count) => metrics.indexedRecords.inc(count),
    passFailed: (reason) => metrics.indexerFailures.inc({ reason }),
    writeSeconds: (seconds) => metrics.indexerWrite.observe(seconds),
    mintsFollowed: () => undefined,
    slotsBehind: (mint, slots) => void slotsBehind.set(mint, slots),
    mintLeft: (mint) => void slotsBehind.delete(mint),
  };
}

function sequencerMetrics(metrics: Metrics, { database }: Foundation): SequencerMetrics {
  metrics.watchLogs(() => longestWait(database));
  return {
    entriesSequenced: (count) => metrics.sequencedEntries.inc(count),
    sequencingFailed: (reason) => metrics.sequencingFailures.inc({ reason }),
  };
}
