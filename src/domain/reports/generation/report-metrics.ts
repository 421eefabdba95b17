import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ReportFormat, ReportType } from '../report-types.js';

export type ReportOutcome = 'finished' | 'failed';

/** The metrics of report generation, by type and format. An implementation must be cheap, and must not throw. */
export interface ReportMetrics {
  /** A generation began on this instance. */
  began(reportType: ReportType, format: ReportFormat): void;
  /** Counts an end, its duration in seconds and the written records. */
  ended(
    reportType: ReportType,
    format: ReportFormat,
    outcome: ReportOutcome,
    made: { readonly seconds: number; readonly records: number },
  ): void;
}

export function createReportMetrics(registry: Registry): ReportMetrics {
  const registers = [registry];
  const begun = new Counter({
    name: 'lucarne_reports_begun_total',
    help: 'Generations of reports that began on this instance, by type and format.',
    labelNames: ['type', 'format'] as const,
    registers,
  });
  const ended = new Counter({
    name: 'lucarne_reports_ended_total',
    help: 'Generations of reports that ended on this instance, by type, format and outcome.',
    labelNames: ['type', 'format', 'outcome'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'lucarne_report_duration_seconds',
    help: 'Time from the request to the finished report, by type and format.',
    labelNames: ['type', 'format'] as const,
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1800],
    registers,
  });
  const written = new Counter({
    name: 'lucarne_report_records_total',
    help: 'Records that this instance wrote into reports, including failed ones, by type and format.',
    labelNames: ['type', 'format'] as const,
    registers,
  });
  const running = new Gauge({
    name: 'lucarne_reports_running',
    help: 'Reports that this instance is generating now.',
    registers,
  });
  return {
    began(type, format) {
      begun.inc({ type, format });
      running.inc();
    },
    ended(type, format, outcome, { seconds, records }) {
      ended.inc({ type, format, outcome });
      written.inc({ type, format }, records);
      if (outcome === 'finished') duration.observe({ type, format }, seconds);
      running.dec();
    },
  };
}
