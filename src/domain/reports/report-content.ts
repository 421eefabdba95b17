import type { LogObject } from '../activity-log/index.js';
import type { Reader } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import { badUserInput, invalidMember } from '../../platform/kernel/errors.js';
import type { ReportFormat } from './report-types.js';

/** A part of a report's file, and the number of records that it completes. */
export interface Piece {
  readonly data: string | Uint8Array;
  readonly records: number;
}

/** The facts that the content states about the report. */
export interface ReportFacts {
  readonly id: Id<'rpt'>;
  readonly generatedAt: Date;
  /** Aborted if the generation ends early. */
  readonly signal: AbortSignal;
}

/** The content of a report. It is produced while it is written, one page of records at a time. */
export interface ReportContent {
  readonly recordTotal: RecordTotal;
  readonly pieces: AsyncIterable<Piece>;
  /** Whether the file has each record, and not only totals, so that the limit of its format applies. */
  readonly holdsRecords: boolean;
  /** Checks, in the transaction of the report, that the content may still be shown. */
  readonly requireStill?: (reader: Reader) => Promise<void>;
  /** The details of this report's log entry, in addition to those of every report. */
  readonly object: LogObject;
  readonly details: LogObject | ((recordCount: number) => LogObject);
}

/** The number of records of a report. Only a document is counted before it is written, because counting reads every record. */
export interface RecordTotal {
  readonly count: number;
  readonly isEstimate: boolean;
}

export const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  pdf: 'application/pdf',
} as const satisfies Record<ReportFormat, string>;

/** Maximum number of records in one document. A document is for people, and the index of its pages stays in memory. */
export const MAX_PDF_RECORDS = 50_000;
/** Maximum number of records in another file. It is stored for years, and nobody can delete it before. */
const MAX_FILE_RECORDS = 1_000_000;

/** @throws `BAD_USER_INPUT` if this number of records does not fit into the format. */
export function requireRoom(format: ReportFormat, recordTotal: number): void {
  if (format === 'pdf' && recordTotal > MAX_PDF_RECORDS)
    throw invalidMember('format', `must be csv or json: a pdf holds at most ${MAX_PDF_RECORDS} records`);
  if (recordTotal > MAX_FILE_RECORDS)
    throw badUserInput(
      `A report holds at most ${MAX_FILE_RECORDS} records, and this one has more. Request a case with a shorter period; ` +
        'the log of an organization or of an application can be exported in parts.',
    );
}
