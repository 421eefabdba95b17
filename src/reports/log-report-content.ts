import {
  checkpointOfNow,
  countLoggedEntries,
  exportPieces,
  loggedEntries,
  openPersonalValues,
  type LoggedEntry,
  type LogScope,
  type SignedCheckpoint,
} from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { csv } from '../disclosures/index.js';
import { badUserInput } from '../kernel/errors.js';
import { canonicalJson, type JsonObject, type JsonValue } from '../kernel/json.js';
import { unreachable } from '../kernel/unreachable.js';
import { logExported } from '../auditors-log/index.js';
import type { Application, UserPrincipal } from '../organizations/index.js';
import { LARGEST_PDF, pdfReport } from './pdf-report.js';
import type { Piece, ReportContent } from './report-content.js';
import type { ReportMaking } from './report-maker.js';
import type { ReportFormat } from './report.js';

export interface LogReportInput {
  readonly user: UserPrincipal;
  readonly application: Application | undefined;
  readonly scope: LogScope;
  readonly format: ReportFormat;
  readonly publicHost: string;
}

/** The log of a scope as it is now: everything committed before the call is in it. */
export async function captureLog(
  foundation: Foundation,
  input: LogReportInput,
  making: ReportMaking,
): Promise<ReportContent> {
  const { scope, format, publicHost } = input;
  const { organizationId } = scope;
  const checkpoint = await checkpointOfNow(foundation, { organizationId, publicHost }, making.signal);
  const recordTotal = await countLoggedEntries(foundation.database, checkpoint, scope);
  if (format === 'pdf' && recordTotal > LARGEST_PDF)
    throw badUserInput(`format pdf holds at most ${LARGEST_PDF} records: take csv or json.`);
  const { object, details } = logExported(scope, checkpoint, format, recordTotal, {});
  return {
    ...{ recordTotal, object, details },
    pieces: piecesOf(foundation, input, making, checkpoint, recordTotal),
  };
}

function piecesOf(
  { database }: Foundation,
  input: LogReportInput,
  making: ReportMaking,
  checkpoint: SignedCheckpoint,
  recordTotal: number,
): AsyncIterable<Piece> {
  const { scope, format } = input;
  switch (format) {
    case 'json':
      return exported(exportPieces(database, checkpoint, scope));
    case 'csv':
      return table(loggedEntries(database, checkpoint, scope));
    case 'pdf':
      return document(loggedEntries(database, checkpoint, scope), input, making, checkpoint, recordTotal);
    default:
      return unreachable(format);
  }
}

async function* exported(pieces: ReturnType<typeof exportPieces>): AsyncGenerator<Piece> {
  for await (const { text, entries } of pieces) yield { data: text, records: entries };
}

const COLUMNS = [
  ...['index', 'created_at', 'event_type', 'user', 'user_id'],
  ...['application_foreign_id', 'case_id', 'object', 'details'],
] as const;

async function* table(pages: AsyncIterable<LoggedEntry[]>): AsyncGenerator<Piece> {
  yield { data: csv([COLUMNS]), records: 0 };
  for await (const page of pages) {
    const rows = page
      .map(readable)
      .map((entry) => [
        ...[entry.index, entry.createdAt, entry.eventType, entry.user ?? '', entry.userId],
        ...[entry.foreignId, entry.caseId, entry.object, entry.details],
      ]);
    yield { data: csv(rows), records: page.length };
  }
}

/** An entry in words: names opened where they were not erased, what is nested as JSON. */
function readable({ index, entry, salts }: LoggedEntry) {
  const opened = openPersonalValues(entry, salts);
  const text = (member: string) => textOf(opened[member] ?? null);
  return {
    index,
    createdAt: text('created_at'),
    eventType: text('event_type'),
    /** Null when the name was erased. */
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

function document(
  pages: AsyncIterable<LoggedEntry[]>,
  { user, application, scope }: LogReportInput,
  { id, generatedAt }: ReportMaking,
  checkpoint: SignedCheckpoint,
  recordTotal: number,
): AsyncIterable<Piece> {
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
      eventType: 'log.exported',
      notes: [
        'The entries stand in the order of the log. “No.” is the index of the entry in the log of the whole ' +
          'organization: where only a part of the log is shown, indexes are passed over.',
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
      for await (const page of pages) {
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
