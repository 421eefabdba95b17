import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

interface SanctionsState {
  readonly version: string;
  readonly ageSeconds: number;
  readonly entries: number;
}

/** The metrics of one instance. Labels are closed lists: no id, address or amount is ever a label. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'lucarne_' });
  const registers = [registry];
  return {
    registry,
    httpDuration: new Histogram({
      name: 'lucarne_http_request_duration_seconds',
      help: 'Time to answer an HTTP request, by route, method and status.',
      labelNames: ['route', 'method', 'status'] as const,
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
      registers,
    }),
    ledgerCalls: new Counter({
      name: 'lucarne_ledger_calls_total',
      help: 'Calls to Solana RPC providers, by method, provider and outcome.',
      labelNames: ['method', 'provider', 'outcome'] as const,
      registers,
    }),
    ledgerDuration: new Histogram({
      name: 'lucarne_ledger_call_duration_seconds',
      help: 'Time of a call to a Solana RPC provider, by method.',
      labelNames: ['method'] as const,
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 15],
      registers,
    }),
    indexedRecords: new Counter({
      name: 'lucarne_indexer_records_total',
      help: 'Records written by the indexer of this instance.',
      registers,
    }),
    indexerFailures: new Counter({
      name: 'lucarne_indexer_failures_total',
      help: 'Passes of the indexer that failed, by reason.',
      labelNames: ['reason'] as const,
      registers,
    }),
    indexedTransactions: new Counter({
      name: 'lucarne_indexer_transactions_total',
      help: 'Ledger transactions that the indexer of this instance read.',
      registers,
    }),
    indexerWrite: new Histogram({
      name: 'lucarne_indexer_write_duration_seconds',
      help: 'Time of one write of the indexer, from its begin to its commit.',
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 5],
      registers,
    }),
    sequencedEntries: new Counter({
      name: 'lucarne_log_entries_sequenced_total',
      help: 'Activity log entries that this instance gave their index.',
      registers,
    }),
    sequencingFailures: new Counter({
      name: 'lucarne_log_sequencing_failures_total',
      help: 'Batches of the activity log that failed, by reason; `inconsistent` needs a person at once.',
      labelNames: ['reason'] as const,
      registers,
    }),
    relaySubmissions: new Counter({
      name: 'lucarne_relay_submissions_total',
      help: 'Packages that this instance was handed, by what became of them.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    relayChanges: new Counter({
      name: 'lucarne_relay_changes_total',
      help: 'Changes of relay requests that this instance’s worker made, by new status and reason.',
      labelNames: ['status', 'reason'] as const,
      registers,
    }),
    relayFailedLooks: new Counter({
      name: 'lucarne_relay_failed_looks_total',
      help: 'Looks at relay requests that found nothing out, by cause.',
      labelNames: ['cause'] as const,
      registers,
    }),
    relayProviderLies: new Counter({
      name: 'lucarne_relay_provider_lies_total',
      help: 'Heights that a provider stated and that cannot be true; it was left out.',
      labelNames: ['provider'] as const,
      registers,
    }),
    relayDisagreements: new Counter({
      name: 'lucarne_relay_disagreements_total',
      help: 'Looks in which providers said different things of one fact.',
      registers,
    }),
    relaysUnderWay: new Gauge({
      name: 'lucarne_relays_under_way',
      help: 'Relay requests that this instance holds.',
      registers,
    }),
    reportsBegun: new Counter({
      name: 'lucarne_reports_begun_total',
      help: 'Generations of reports that began on this instance, by type and format.',
      labelNames: ['type', 'format'] as const,
      registers,
    }),
    reportsEnded: new Counter({
      name: 'lucarne_reports_ended_total',
      help: 'Generations of reports that ended on this instance, by type, format and outcome.',
      labelNames: ['type', 'format', 'outcome'] as const,
      registers,
    }),
    reportDuration: new Histogram({
      name: 'lucarne_report_duration_seconds',
      help: 'Time from the request to the finished report, by type and format.',
      labelNames: ['type', 'format'] as const,
      buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1800],
      registers,
    }),
    reportRecords: new Counter({
      name: 'lucarne_report_records_total',
      help: 'Records that this instance wrote into reports, those that failed too, by type and format.',
      labelNames: ['type', 'format'] as const,
      registers,
    }),
    reportsRunning: new Gauge({
      name: 'lucarne_reports_running',
      help: 'Reports that this instance generates.',
      registers,
    }),
    checks: new Counter({
      name: 'lucarne_checks_total',
      help: 'Address checks that this instance recorded, by reason.',
      labelNames: ['reason'] as const,
      registers,
    }),
    screeningFailures: new Counter({
      name: 'lucarne_screening_failures_total',
      help: 'Screening steps that gave no answer, by step. Nothing is approved meanwhile.',
      labelNames: ['step'] as const,
      registers,
    }),
    sanctionsLoadFailures: new Counter({
      name: 'lucarne_sanctions_load_failures_total',
      help: 'Readings of the sanctions file that failed. The list before it stays in force.',
      registers,
    }),
    /** The sanctions list in force, asked at each scrape; nothing is said while there is none. */
    watchSanctions(state: () => SanctionsState | undefined): void {
      new Gauge({
        name: 'lucarne_sanctions_list_info',
        help: 'The sanctions list in force: date of issue and SHA-256 of its file. Always 1.',
        labelNames: ['version'] as const,
        registers,
        collect() {
          this.reset();
          const list = state();
          if (list) this.set({ version: list.version }, 1);
        },
      });
      const gauge = (name: string, help: string, value: 'ageSeconds' | 'entries') =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            const list = state();
            if (list) this.set(list[value]);
            else this.remove();
          },
        });
      gauge('lucarne_sanctions_list_age_seconds', 'Time since the sanctions list was issued.', 'ageSeconds');
      gauge('lucarne_sanctions_list_entries', 'Addresses of the sanctions list.', 'entries');
    },
    /** How long the oldest entry without an index has waited, in seconds, asked at each scrape. */
    watchLogs(longestWait: () => Promise<number>): void {
      new Gauge({
        name: 'lucarne_log_longest_wait_seconds',
        help: 'How long the oldest activity log entry without an index has waited. More than 10 is an alarm.',
        registers,
        async collect() {
          // Without a database the scrape must still answer: the last value stays.
          const seconds = await longestWait().catch(() => undefined);
          if (seconds !== undefined) this.set(seconds);
        },
      });
    },
    /** The mints that this instance follows, and how far the one that is furthest behind is behind. */
    watchIndexer(state: () => { readonly mints: number; readonly slotsBehind: number }): void {
      new Gauge({
        name: 'lucarne_indexer_mints',
        help: 'Mints that the indexer of this instance follows.',
        registers,
        collect() {
          this.set(state().mints);
        },
      });
      new Gauge({
        name: 'lucarne_indexer_slots_behind',
        help: 'Slots between the last finalized one and the last indexed one, of the mint that is furthest behind.',
        registers,
        collect() {
          this.set(state().slotsBehind);
        },
      });
    },
    /** What waits of all instances, and what the relayer can pay with, asked at each scrape. */
    watchRelays(state: () => Promise<{ readonly waiting: number; readonly reconciling: number }>): void {
      const waiting = new Gauge({
        name: 'lucarne_relays_waiting',
        help: 'Relay requests, of all instances, that wait to be sent.',
        registers,
        async collect() {
          const counted = await state().catch(() => undefined);
          if (!counted) return;
          waiting.set(counted.waiting);
          reconciling.set(counted.reconciling);
        },
      });
      const reconciling = new Gauge({
        name: 'lucarne_relays_reconciling',
        help: 'Relay requests, of all instances, whose outcome is being found out.',
        registers,
      });
    },
    /** `unfinished` counts the ciphertexts that wait for a decryption worker or are with one. */
    watchDecryption(unfinished: () => number): void {
      new Gauge({
        name: 'lucarne_decryption_unfinished',
        help: 'Ciphertexts that wait for a decryption worker or are with one.',
        registers,
        collect() {
          this.set(unfinished());
        },
      });
    },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
