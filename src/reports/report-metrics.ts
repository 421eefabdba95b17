import type { ReportFormat, ReportType } from './report.js';

export type ReportOutcome = 'finished' | 'failed';

/** What the generation of reports counts, by type and format. It must be cheap, and must not throw. */
export interface ReportMetrics {
  /** A generation began on this instance. */
  began(reportType: ReportType, format: ReportFormat): void;
  /** It ended, after so many seconds, with so many records written. */
  ended(
    reportType: ReportType,
    format: ReportFormat,
    outcome: ReportOutcome,
    made: { readonly seconds: number; readonly records: number },
  ): void;
}

export const noReportMetrics: ReportMetrics = { began: () => undefined, ended: () => undefined };
