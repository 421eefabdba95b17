import {
  type CaseAssetTotals,
  type CaseScope,
  type CaseSnapshot,
  type CaseText,
  caseTextPages,
  caseTotals,
  type CaseTransaction,
  caseTransactionPages,
  countCaseTransactions,
  estimateCaseTransactions,
  describeFlags,
  type Maskable,
  requireAssetsStill,
  scopeOf,
  snapshotOf,
} from '../../cases/index.js';
import type { DecryptionPool } from '../../../platform/crypto/index.js';
import type { Foundation, Reader } from '../../../platform/database/index.js';
import { checkpointOfNow, type SignedCheckpoint } from '../../activity-log/index.js';
import { timeSlices } from '../../../platform/jobs/index.js';
import { csv } from '../../../platform/kernel/encoding/csv.js';
import { timestamp, timestampsOfSeconds } from '../../../platform/kernel/clock.js';
import { DETAIL_COLUMNS, detailLine, UNDECRYPTABLE } from './case-report-lines.js';
import { caseReportDocument } from './case-report-pdf.js';
import type { CaseReportInput } from './case-report-input.js';
import { MEMBER_NAMES } from './member-names.js';
import {
  MAX_PDF_RECORDS,
  type Piece,
  type RecordTotal,
  type ReportContent,
  requireRoom,
  type ReportFacts,
} from '../report-content.js';
import type { CaseReportType, ReportFormat } from '../report-types.js';

/** Records that are decrypted together, and pages that one statement reads. */
const PAGE_SIZE = 1_000;
const PAGES_READ = 4;

/** The masked transactions of a case, and the facts that a report states about them. */
interface CaseRecords extends CaseReportInput, ReportFacts {
  /** The records as rows, or as lines of the detail report. Only the requested form is read. */
  readonly pages: AsyncIterable<CaseTransaction[]>;
  readonly texts: AsyncIterable<CaseText>;
  /** Exact for a document. */
  readonly recordTotal: number;
  /** A checkpoint that covers everything logged so far. */
  readonly checkpoint: () => Promise<SignedCheckpoint>;
}

type CaseReportWriter = (records: CaseRecords) => AsyncIterable<Piece>;

/** The function that writes each type of report on a case in each format. */
const WRITERS: Readonly<Record<CaseReportType, Readonly<Record<ReportFormat, CaseReportWriter>>>> = {
  transaction_detail: {
    csv: detailTable,
    json: (records) => jsonDocument(records, { withRecords: true }),
    pdf: (records) => caseReportDocument(records, { title: 'Transaction detail', withRecords: true }),
  },
  transaction_summary: {
    csv: summaryTable,
    json: (records) => jsonDocument(records, { withRecords: false }),
    pdf: (records) => caseReportDocument(records, { title: 'Transaction summary', withRecords: false }),
  },
};

/** Report types that show each record in addition to the totals. */
const SHOWS_RECORDS: Readonly<Record<CaseReportType, boolean>> = {
  transaction_detail: true,
  transaction_summary: false,
};

interface CaseSources {
  readonly foundation: Foundation;
  readonly pool: DecryptionPool;
  readonly publicHost: () => string;
}

/** The transactions of a case as they are now, masked by its flags. Later records are not included. */
export async function captureCase(
  { foundation, pool, publicHost }: CaseSources,
  input: CaseReportInput,
  making: ReportFacts,
): Promise<ReportContent> {
  const { database, reads } = foundation;
  const { format, reportType } = input;
  const scope = scopeOf(foundation, input.case);
  const snapshot = await snapshotOf(database, scope);
  const recordTotal = await totalOf(reads, scope, snapshot, input);
  const options = { pageSize: PAGE_SIZE, pagesRead: PAGES_READ, signal: making.signal };
  const { organizationId } = scope;
  const records: CaseRecords = {
    ...input,
    ...making,
    recordTotal: recordTotal.count,
    pages: caseTransactionPages(foundation, pool, scope, snapshot, options),
    texts: caseTextPages(foundation, pool, scope, snapshot, {
      ...options,
      textOf: detailLine,
      undecryptable: UNDECRYPTABLE,
    }),
    checkpoint: () =>
      checkpointOfNow(foundation, { organizationId, publicHost: publicHost() }, making.signal),
  };
  return {
    recordTotal,
    pieces: WRITERS[reportType][format](records),
    holdsRecords: SHOWS_RECORDS[reportType],
    requireStill: (reader) => requireAssetsStill(reader, scope, snapshot.keys()),
    object: { type: 'report', case_id: input.case.id },
    details: {
      period_from: input.case.periodFrom,
      period_to: input.case.periodTo,
      disclosure_flags: describeFlags(input.case.disclosureFlags),
    },
  };
}

/** A document states its number of records. The other formats need only an estimate, for their progress. */
async function totalOf(
  reader: Reader,
  scope: CaseScope,
  snapshot: CaseSnapshot,
  { format, reportType }: CaseReportInput,
): Promise<RecordTotal> {
  if (format !== 'pdf') {
    return { count: await estimateCaseTransactions(reader, scope, snapshot), isEstimate: true };
  }
  // Counted only up to the maximum of a document.
  const most = SHOWS_RECORDS[reportType] ? MAX_PDF_RECORDS + 1 : undefined;
  const count = await countCaseTransactions(reader, scope, snapshot, most);
  if (SHOWS_RECORDS[reportType]) requireRoom(format, count);
  return { count, isEstimate: false };
}

async function* detailTable({ texts }: CaseRecords): AsyncGenerator<Piece> {
  yield { data: csv([DETAIL_COLUMNS]), records: 0 };
  for await (const { text, records } of texts) yield { data: text, records };
}

/** The time of the block, or its day if the case grants no more. */
function shownTime({ blockTime, restricted }: CaseTransaction, timeOf: (seconds: number) => string): string {
  const time = timeOf(blockTime);
  return restricted.includes('blockTime') ? time.slice(0, 'YYYY-MM-DD'.length) : time;
}

const SUMMARY_COLUMNS = [
  ...['asset_id', 'symbol', 'decimals', 'type', 'flow', 'count', 'amount', 'undecryptable', 'restricted'],
] as const;

async function* summaryTable({ pages }: CaseRecords): AsyncGenerator<Piece> {
  const totals = caseTotals();
  for await (const page of pages) {
    totals.add(page);
    yield { data: '', records: page.length };
  }
  const rows = totals
    .result()
    .flatMap(({ assetId, symbol, decimals, totals: assetTotals }) =>
      assetTotals.map(({ type, flow, count, amount, undecryptable, restricted }) => [
        ...[assetId, symbol, decimals, type, flow, count, amount, undecryptable, restricted],
      ]),
    );
  yield { data: csv([SUMMARY_COLUMNS, ...rows]), records: 0 };
}

async function* jsonDocument(
  { pages, id, generatedAt, user, application, reportType, case: record }: CaseRecords,
  { withRecords }: { readonly withRecords: boolean },
): AsyncGenerator<Piece> {
  const head = {
    report: { id, report_type: reportType, generated_at: timestamp(generatedAt) },
    organization: { id: user.organizationId, name: user.organizationName },
    application: { foreign_id: application.foreignId, name: application.name },
    generated_by: { id: user.userId, name: user.name, email: user.email },
    case: {
      id: record.id,
      reason: record.reason,
      period_from: record.periodFrom,
      period_to: record.periodTo,
      disclosure_flags: describeFlags(record.disclosureFlags),
      asset_ids: record.assetIds,
    },
  };
  yield { data: JSON.stringify(head).slice(0, -1) + (withRecords ? ',"records":[' : ''), records: 0 };
  const totals = caseTotals();
  const slice = timeSlices();
  const timeOf = timestampsOfSeconds();
  let separator = '\n';
  for await (const page of pages) {
    totals.add(page);
    let data = '';
    for (const transaction of withRecords ? page : []) {
      data += separator + JSON.stringify(recordOf(transaction, shownTime(transaction, timeOf)));
      separator = ',\n';
      const turn = slice();
      if (turn) await turn;
    }
    yield { data, records: page.length };
  }
  const last = JSON.stringify(totals.result().map(totalsOf), null, withRecords ? undefined : 1);
  yield { data: `${withRecords ? '\n]' : ''},"totals":${last}}\n`, records: 0 };
}

function recordOf(record: CaseTransaction, time: string) {
  return {
    id: record.id,
    network_transaction_id: record.networkTransactionId,
    type: record.type,
    block_time: time,
    asset_id: record.assetId,
    symbol: record.symbol,
    decimals: record.decimals,
    amount: record.amount,
    source_account: record.sourceAccount,
    destination_account: record.destinationAccount,
    signer: record.signer,
    authority: record.authority,
    undecryptable: record.undecryptable,
    restricted: namesOf(record.restricted),
  };
}

const totalsOf = ({ assetId, symbol, decimals, totals }: CaseAssetTotals) => ({
  ...{ asset_id: assetId, symbol, decimals, totals },
});

/** The names of members in files. */
const namesOf = (members: readonly Maskable[]) => members.map((member) => MEMBER_NAMES[member]);
