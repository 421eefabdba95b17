import {
  checkpointOfNow,
  countLoggedEntries,
  exportPieces,
  logExported,
  loggedEntries,
  type LoggedEntry,
  type LogScope,
  openPersonalValues,
  type SignedCheckpoint,
} from '../../activity-log/index.js';
import { timeSlices } from '../../../platform/jobs/index.js';
import type { Foundation, Reader } from '../../../platform/database/index.js';
import { csv } from '../../../platform/kernel/encoding/csv.js';
import { canonicalJson, type JsonObject, type JsonValue } from '../../../platform/kernel/encoding/json.js';
import type { Application } from '../../access/index.js';
import type { UserPrincipal } from '../../access/index.js';
import { pdfReport } from '../pdf/pdf-report.js';
import {
  MAX_PDF_RECORDS,
  type Piece,
  type RecordTotal,
  type ReportContent,
  requireRoom,
  type ReportFacts,
} from '../report-content.js';
import { EVENT_OF_REPORT, type ReportFormat } from '../report-types.js';

export interface LogReportInput {
  readonly user: UserPrincipal;
  readonly application: Application | undefined;
  readonly scope: LogScope;
  readonly format: ReportFormat;
  readonly publicHost: string;
}

/** The log of a scope in its current state, with everything that was committed before the call. */
export async function captureLog(
  foundation: Foundation,
  input: LogReportInput,
  making: ReportFacts,
): Promise<ReportContent> {
  const { scope, format, publicHost } = input;
  const { organizationId } = scope;
  const checkpoint = await checkpointOfNow(foundation, { organizationId, publicHost }, making.signal);
  // The checkpoint was read from the primary, so that replicas have everything that it covers.
  const { reads: reader } = foundation;
  const recordTotal = await totalOf(reader, checkpoint, scope, format);
  const entryOf = (entries: number) => logExported(scope, checkpoint, format, entries, {});
  const records = { ...input, ...making, reader, checkpoint, recordTotal: recordTotal.count };
  return {
    recordTotal,
    object: entryOf(0).object,
    details: (recordCount) => entryOf(recordCount).details,
    pieces: WRITERS[format](records),
    holdsRecords: true,
  };
}

/**
 * The checkpoint counts the whole log. For a document, the part is counted. For other formats, the whole log is the upper
 * bound.
 */
async function totalOf(
  reader: Reader,
  checkpoint: SignedCheckpoint,
  scope: LogScope,
  format: ReportFormat,
): Promise<RecordTotal> {
  const isWhole = scope.applicationId === undefined && scope.caseId === undefined;
  if (format !== 'pdf') {
    if (isWhole) requireRoom(format, checkpoint.size);
    return { count: checkpoint.size, isEstimate: !isWhole };
  }
  const count = isWhole
    ? checkpoint.size
    : await countLoggedEntries(reader, checkpoint, scope, {}, MAX_PDF_RECORDS + 1);
  requireRoom(format, count);
  return { count, isEstimate: false };
}

/** The log of a scope under a checkpoint, and the facts that a report states about it. */
interface LogRecords extends LogReportInput, ReportFacts {
  readonly reader: Reader;
  readonly checkpoint: SignedCheckpoint;
  /** Exact for a document. */
  readonly recordTotal: number;
}

/** The function that writes a report on a log in each format. */
const WRITERS: Readonly<Record<ReportFormat, (records: LogRecords) => AsyncIterable<Piece>>> = {
  json: provenEntries,
  csv: table,
  pdf: document,
};

async function* provenEntries({ reader, checkpoint, scope }: LogRecords): AsyncGenerator<Piece> {
  for await (const { text, entries } of exportPieces(reader, checkpoint, scope))
    yield { data: text, records: entries };
}

const COLUMNS = [
  ...['index', 'created_at', 'event_type', 'user', 'user_id'],
  ...['application_foreign_id', 'case_id', 'object', 'details'],
] as const;

async function* table({ reader, checkpoint, scope }: LogRecords): AsyncGenerator<Piece> {
  yield { data: csv([COLUMNS]), records: 0 };
  for await (const page of loggedEntries(reader, checkpoint, scope)) {
    const rows = page
      .map(readable)
      .map((entry) => [
        ...[entry.index, entry.createdAt, entry.eventType, entry.user ?? '', entry.userId],
        ...[entry.foreignId, entry.caseId, entry.object, entry.details],
      ]);
    yield { data: csv(rows), records: page.length };
  }
}

/** An entry as text, with the names that were not erased, and nested values as JSON. */
function readable({ index, entry, salts }: LoggedEntry) {
  const opened = openPersonalValues(entry, salts);
  const text = (member: string) => textOf(opened[member] ?? null);
  return {
    index,
    createdAt: text('created_at'),
    eventType: text('event_type'),
    /** Null if the name was erased. */
    user: typeof opened['user'] === 'string' ? opened['user'] : null,
    userId: text('user_id'),
    foreignId: text('application_foreign_id'),
    caseId: text('case_id'),
    object: text('object'),
    details: text('details'),
  };
}

function textOf(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : canonicalJson(value);
}

function document(records: LogRecords): AsyncIterable<Piece> {
  const { id, generatedAt, user, application, reader, scope, checkpoint, recordTotal } = records;
  return pdfReport(
    {
      title: 'Activity log',
      id,
      organization: { id: user.organizationId, name: user.organizationName },
      application,
      generatedBy: { id: user.userId, name: user.name, email: user.email },
      generatedAt,
      checkpoint,
      scope: scope.caseId === undefined ? [] : [['Case', scope.caseId]],
      recordTotal,
      eventType: EVENT_OF_REPORT.activity_log,
      notes: [
        'The entries are in the order of the log. “No.” is the index of the entry in the log of the whole ' +
          'organization: a report on a part of the log skips indexes.',
        'A person’s name that was erased from the log is shown as “erased”; its digest stays in the log.',
        'This document is for reading. The JSON format of the same report holds the proof of each entry.',
      ],
    },
    async function* body(pdf) {
      pdf.newPage('landscape');
      pdf.heading('Entries', 'landscape');
      const entries = pdf.table(
        [
          { title: 'No.', share: 5, align: 'right' },
          { title: 'Time (UTC)', share: 15 },
          { title: 'Event', share: 18 },
          { title: 'By', share: 18 },
          { title: 'Application', share: 11 },
          { title: 'Object', share: 28 },
          { title: 'Details', share: 34 },
        ],
        'landscape',
      );
      const slice = timeSlices();
      for await (const page of loggedEntries(reader, checkpoint, scope)) {
        for (const entry of page.map(readable)) {
          entries.row([
            entry.index.toString(),
            entry.createdAt.replace('T', ' ').replace('Z', ''),
            entry.eventType,
            entry.user === null ? { muted: `erased (${entry.userId})` } : `${entry.user} (${entry.userId})`,
            entry.foreignId,
            inWords(entry.object),
            inWords(entry.details),
          ]);
          await slice();
        }
        yield page.length;
      }
      entries.end();
    },
  );
}

/** JSON in words: `{"a":["b","c"],"d":1}` is `a: b, c; d: 1`. */
function inWords(json: string): string {
  return json.startsWith('{') ? membersOf(JSON.parse(json) as JsonObject) : json;
}

const membersOf = (value: JsonObject) =>
  Object.entries(value)
    .map(([name, member]) => `${name}: ${wordsOf(member)}`)
    .join('; ');

function wordsOf(value: JsonValue): string {
  if (value === null) return '–';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(wordsOf).join(', ');
  return `(${membersOf(value as JsonObject)})`;
}
