import {
  createSequencer,
  createSequencerMetrics,
  retainedMembers,
  retainedValues,
  sweepErasures,
} from '../domain/activity-log/index.js';
import { createCaseViewCounter } from '../domain/cases/index.js';
import { createDisclosureWorker, type Fulfilment, retainedResults } from '../domain/disclosures/index.js';
import { createIndexer, createIndexerMetrics, sweepWorkers } from '../domain/indexer/index.js';
import {
  retainedInvitations,
  sweepRetention,
  sweepSecurityEvents,
  sweepSessions,
} from '../domain/organizations/index.js';
import { sweepRejectedRelays } from '../domain/relays/index.js';
import { createReportSweeper, retainedFiles } from '../domain/reports/index.js';
import { sweepIdempotencyKeys, sweepRateWindows } from '../platform/database/index.js';
import { createSweeper } from '../platform/jobs/index.js';
import type { Platform } from './platform.js';

/** The data that organizations keep for a configured number of years. */
const RETENTION_RULES = [
  retainedFiles,
  retainedResults,
  retainedValues,
  retainedMembers,
  retainedInvitations,
];

/** Starts the loops of this instance's roles. Disposing of them ends each at a safe point and releases its leases. */
export function startWorkers(
  { configuration, foundation, ledger, registry, instanceId }: Platform,
  fulfilment: Fulfilment,
  publicHost: string,
): AsyncDisposable {
  const loops = new AsyncDisposableStack();
  if (configuration.roles.has('indexer')) {
    const indexer = { foundation, ledger, instanceId, metrics: createIndexerMetrics(registry) };
    loops.use(createIndexer(indexer)).start();
    // These complete what an instance decided before it stopped, so they run in the same role as long work.
    loops.use(createDisclosureWorker({ foundation, fulfilment })).start();
    loops.use(createReportSweeper({ foundation })).start();
    loops.use(createCaseViewCounter({ foundation })).start();
    const sequencer = {
      foundation,
      publicHost,
      metrics: createSequencerMetrics(registry, foundation.database),
    };
    loops.use(createSequencer(sequencer)).start();
    const sweeps = [
      sweepSessions(foundation),
      sweepSecurityEvents(foundation),
      sweepWorkers(foundation.database),
      sweepRateWindows(foundation.database),
      sweepIdempotencyKeys(foundation.database),
      sweepRejectedRelays(foundation.database),
      ...RETENTION_RULES.map((rule) => sweepRetention(foundation, rule)),
      // After the rules, which begin some.
      sweepErasures(foundation),
    ];
    loops.use(createSweeper({ sweeps, registry, log: foundation.log })).start();
  }
  return loops;
}
