import type { EventType } from '../activity-log/index.js';

export const CASE_REPORT_TYPES = ['transaction_summary', 'transaction_detail'] as const;
export const REPORT_TYPES = [...CASE_REPORT_TYPES, 'activity_log'] as const;
export const REPORT_FORMATS = ['csv', 'json', 'pdf'] as const;
export type CaseReportType = (typeof CASE_REPORT_TYPES)[number];
export type ReportType = (typeof REPORT_TYPES)[number];
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** The event of the log entry for the report. */
export const EVENT_OF_REPORT = {
  transaction_summary: 'report.generated',
  transaction_detail: 'report.generated',
  activity_log: 'log.exported',
} as const satisfies Record<ReportType, EventType>;
