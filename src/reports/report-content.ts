import type { LogObject } from '../activity-log/index.js';
import type { ReportFormat } from './report.js';

/** A stretch of a report's file, and how many records it completes. */
export interface Piece {
  readonly data: string | Uint8Array;
  readonly records: number;
}

/** What a report is made of: made while it is written, a page of records at a time. */
export interface ReportContent {
  readonly recordTotal: number;
  readonly pieces: AsyncIterable<Piece>;
  /** What the log's entry says of it, besides what it says of every report. */
  readonly object: LogObject;
  readonly details: LogObject;
}

export const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  pdf: 'application/pdf',
} as const satisfies Record<ReportFormat, string>;
