import {
  caseTotals,
  caseTransactionPages,
  countCaseTransactions,
  describeFlags,
  scopeOf,
  snapshotOf,
  type CaseAssetTotals,
  type CaseTransaction,
  type Maskable,
} from '../cases/index.js';
import { checkpointOfNow } from '../activity-log/index.js';
import { cellText, csv } from '../disclosures/index.js';
import { badUserInput } from '../kernel/errors.js';
import { timestamp, timestampsOfSeconds } from '../kernel/clock.js';
import { unreachable } from '../kernel/unreachable.js';
import { caseReportDocument } from './case-report-pdf.js';
import type { CaseReportInput } from './case-report-input.js';
import { LARGEST_PDF } from './pdf-report.js';
import type { Piece, ReportContent } from './report-content.js';
import type { ReportMaking } from './report-maker.js';
import type { Reporting } from './reporting.js';

/** Records that are decrypted together, and how many times as many are read at once. */
const PAGE = 1_000;
const PAGES_READ = 4;

/** The transactions of a case as they are now, masked by its flags: later records never enter. */
export async function captureCase(
  reporting: Reporting,
  input: CaseReportInput,
  making: ReportMaking,
): Promise<ReportContent> {
  const { foundation, pool } = reporting;
  const { database } = foundation;
  const scope = scopeOf(input.case);
  const snapshot = await snapshotOf(database, scope);
  const recordTotal = await countCaseTransactions(database, scope, snapshot);
  const { format, reportType } = input;
  if (format === 'pdf' && reportType === 'transaction_detail' && recordTotal > LARGEST_PDF)
    throw badUserInput(`format pdf holds at most ${LARGEST_PDF} records: take csv or json.`);
  const options = { pageSize: PAGE, pagesRead: PAGES_READ, signal: making.signal };
  const pages = caseTransactionPages(foundation, pool, scope, snapshot, options);
  const object = { type: 'report', case_id: input.case.id };
  const details = {
    period_from: input.case.periodFrom,
    period_to: input.case.periodTo,
    disclosure_flags: describeFlags(input.case.disclosureFlags),
  };
  switch (format) {
    case 'csv':
      return {
        recordTotal,
        object,
        details,
        pieces: (reportType === 'transaction_detail' ? detail : summary)(pages),
      };
    case 'json':
      return { recordTotal, object, details, pieces: json(pages, input, making) };
    case 'pdf': {
      const { organizationId } = scope;
      const log = { organizationId, publicHost: reporting.publicHost() };
      const checkpoint = await checkpointOfNow(foundation, log, making.signal);
      return {
        ...{ recordTotal, object, details },
        pieces: caseReportDocument(pages, { ...input, ...making, checkpoint, recordTotal }),
      };
    }
    default:
      return unreachable(format);
  }
}

const DETAIL_COLUMNS = [
  ...['id', 'network_transaction_id', 'type', 'block_time', 'asset_id', 'symbol', 'decimals', 'amount'],
  ...['source_account', 'destination_account', 'signer', 'authority', 'undecryptable', 'restricted'],
] as const;

async function* detail(pages: AsyncIterable<CaseTransaction[]>): AsyncGenerator<Piece> {
  yield { data: csv([DETAIL_COLUMNS]), records: 0 };
  const timeOf = timestampsOfSeconds();
  for await (const page of pages) {
    let data = '';
    for (const record of page) data += detailRow(record, timeOf(record.blockTime));
    yield { data, records: page.length };
  }
}

/** As {@link csv} writes it. Ids, addresses and times have nothing to quote: a million rows are not asked whether they have. */
function detailRow(record: CaseTransaction, time: string): string {
  const { id, networkTransactionId, type, assetId, symbol, decimals, amount, restricted } = record;
  const { sourceAccount, destinationAccount, signer, authority, undecryptable } = record;
  return (
    `${id},${networkTransactionId},${type},${time},${assetId},${cellText(symbol)},${decimals},${cellText(amount)},` +
    `${sourceAccount ?? ''},${destinationAccount ?? ''},${signer ?? ''},${cellText(authority)},` +
    `${undecryptable ? 'yes' : ''},${restricted.length === 0 ? '' : namesOf(restricted).join(' ')}\r\n`
  );
}

const SUMMARY_COLUMNS = [
  ...['asset_id', 'symbol', 'decimals', 'type', 'flow', 'count', 'amount', 'undecryptable', 'restricted'],
] as const;

async function* summary(pages: AsyncIterable<CaseTransaction[]>): AsyncGenerator<Piece> {
  const totals = caseTotals();
  for await (const page of pages) {
    totals.add(page);
    yield { data: '', records: page.length };
  }
  const rows = totals
    .result()
    .flatMap(({ assetId, symbol, decimals, totals: ofAsset }) =>
      ofAsset.map(({ type, flow, count, amount, undecryptable, restricted }) => [
        ...[assetId, symbol, decimals, type, flow, count, amount, undecryptable, restricted],
      ]),
    );
  yield { data: csv([SUMMARY_COLUMNS, ...rows]), records: 0 };
}

async function* json(
  pages: AsyncIterable<CaseTransaction[]>,
  input: CaseReportInput,
  { id, generatedAt }: ReportMaking,
): AsyncGenerator<Piece> {
  const { user, application, reportType } = input;
  const head = {
    report: { id, report_type: reportType, generated_at: timestamp(generatedAt) },
    organization: { id: user.organizationId, name: user.organizationName },
    application: { foreign_id: application.foreignId, name: application.name },
    generated_by: { id: user.userId, name: user.name, email: user.email },
    case: {
      id: input.case.id,
      reason: input.case.reason,
      period_from: input.case.periodFrom,
      period_to: input.case.periodTo,
      disclosure_flags: describeFlags(input.case.disclosureFlags),
      asset_ids: input.case.assetIds,
    },
  };
  const withRecords = reportType === 'transaction_detail';
  yield { data: JSON.stringify(head).slice(0, -1) + (withRecords ? ',"records":[' : ''), records: 0 };
  const totals = caseTotals();
  const timeOf = timestampsOfSeconds();
  let separator = '\n';
  for await (const page of pages) {
    totals.add(page);
    const lines = page.map((record) => {
      const line = separator + JSON.stringify(recordOf(record, timeOf(record.blockTime)));
      separator = ',\n';
      return line;
    });
    yield { data: withRecords ? lines.join('') : '', records: page.length };
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

/** As the columns and members are named. */
const namesOf = (members: readonly Maskable[]) => members.map((member) => MEMBER_NAMES[member]);

const MEMBER_NAMES = {
  id: 'id',
  networkTransactionId: 'network_transaction_id',
  signer: 'signer',
  authority: 'authority',
  sourceAccount: 'source_account',
  destinationAccount: 'destination_account',
  amount: 'amount',
} as const satisfies Record<Maskable, string>;
