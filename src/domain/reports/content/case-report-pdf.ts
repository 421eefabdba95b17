import { timeSlices } from '../../../platform/jobs/index.js';
import type { SignedCheckpoint } from '../../activity-log/index.js';
import {
  caseTotals,
  type CaseAssetTotals,
  type CaseFlow,
  type CaseTransaction,
  type CaseTransactionType,
  type DisclosureFlags,
  type Maskable,
} from '../../cases/index.js';
import type { CaseReportInput } from './case-report-input.js';
import { decimalAmount } from '../../../platform/kernel/amounts.js';
import type { PdfCell, PdfWriter } from '../pdf/pdf-document.js';
import { pdfReport } from '../pdf/pdf-report.js';
import type { Piece, ReportFacts } from '../report-content.js';
import { EVENT_OF_REPORT } from '../report-types.js';

interface CaseReport extends CaseReportInput, ReportFacts {
  readonly pages: AsyncIterable<CaseTransaction[]>;
  readonly recordTotal: number;
  readonly checkpoint: () => Promise<SignedCheckpoint>;
}

const TYPE_NAMES = {
  confidential_deposit: 'Deposit',
  confidential_withdraw: 'Withdrawal',
  confidential_transfer: 'Transfer',
  confidential_transfer_with_fee: 'Transfer with fee',
  confidential_mint: 'Mint',
  confidential_burn: 'Burn',
} as const satisfies Record<CaseTransactionType, string>;

const FLOW_NAMES = {
  in: 'In',
  out: 'Out',
  within: 'Between accounts',
} as const satisfies Record<CaseFlow, string>;

const FLAG_NAMES = {
  fullTxIds: 'identifiers and exact times of transactions',
  senderInformation: 'sender information',
  withdrawalDetails: 'withdrawal amounts and destinations',
} as const satisfies Record<keyof DisclosureFlags, string>;

/** A report on the transactions of a case, as a document. */
export async function* caseReportDocument(
  report: CaseReport,
  { title, withRecords }: { readonly title: string; readonly withRecords: boolean },
): AsyncGenerator<Piece> {
  const { user, application, case: record } = report;
  const assets = record.assetIds.length;
  yield* pdfReport(
    {
      title,
      id: report.id,
      organization: { id: user.organizationId, name: user.organizationName },
      application,
      generatedBy: { id: user.userId, name: user.name, email: user.email },
      generatedAt: report.generatedAt,
      checkpoint: await report.checkpoint(),
      scope: [
        ['Case', record.id],
        ['Reason', record.reason],
        ['Period', `${record.periodFrom} to ${record.periodTo} (both days included, UTC, by block time)`],
        ['Assets', `${assets} ${assets === 1 ? 'asset' : 'assets'}: ${record.assetIds.join(', ')}`],
        ['Granted', listed(record.disclosureFlags, true)],
        ['Not granted', listed(record.disclosureFlags, false)],
        ['Assigned auditors', record.auditors.map(({ name, email }) => `${name} (${email})`).join(', ')],
      ],
      recordTotal: report.recordTotal,
      eventType: EVENT_OF_REPORT[report.reportType],
      notes: [
        '“restricted” marks what the case does not grant. Restricted amounts are in no total.',
        '“undecryptable” marks an amount that no auditor key of the organization decrypts. It is in no total.',
        'The report shows the records that were indexed when it was generated. Amounts of confidential transfers were ' +
          'decrypted with the organization’s auditor key; those of deposits and withdrawals are public on the ledger.',
      ],
    },
    (pdf) => body(pdf, report.pages, withRecords),
  );
}

async function* body(
  pdf: PdfWriter,
  pages: AsyncIterable<CaseTransaction[]>,
  withRecords: boolean,
): AsyncGenerator<number> {
  const totals = caseTotals();
  const slice = timeSlices();
  if (withRecords) pdf.newPage('landscape');
  const records = withRecords ? recordTable(pdf) : undefined;
  for await (const page of pages) {
    totals.add(page);
    for (const record of page) {
      records?.row(rowOf(record));
      await slice();
    }
    yield page.length;
  }
  records?.end();
  pdf.newPage('portrait');
  pdf.heading('Totals');
  const assets = totals.result();
  if (assets.length === 0) pdf.paragraph('There are no records in the scope of the case.');
  for (const asset of assets) {
    totalTable(pdf, asset);
    await slice();
  }
  yield 0;
}

function recordTable(pdf: PdfWriter) {
  pdf.heading('Transactions', 'landscape');
  return pdf.table(
    [
      { title: 'Time (UTC)', share: 8 },
      { title: 'Type', share: 8 },
      { title: 'Amount', share: 14, align: 'right' },
      { title: 'Asset', share: 7 },
      { title: 'From account', share: 14.5 },
      { title: 'To account', share: 14.5 },
      { title: 'Authority', share: 14.5 },
      { title: 'Transaction', share: 19.5 },
    ],
    'landscape',
  );
}

function rowOf(record: CaseTransaction): PdfCell[] {
  const shown = (member: Maskable, value: string | null): PdfCell => {
    if (value !== null) return value;
    return { muted: record.restricted.includes(member) ? 'restricted' : '–' };
  };
  const amount = record.amount === null ? null : decimalAmount(record.amount, record.decimals);
  return [
    timeOf(record),
    TYPE_NAMES[record.type],
    record.undecryptable ? { muted: 'undecryptable' } : shown('amount', amount),
    record.symbol,
    shown('sourceAccount', record.sourceAccount),
    shown('destinationAccount', record.destinationAccount),
    shown('authority', record.authority),
    record.networkTransactionId ?? record.id,
  ];
}

function timeOf({ blockTime, restricted }: CaseTransaction): string {
  const [day = '', time = ''] = new Date(blockTime * 1000).toISOString().slice(0, 19).split('T');
  return restricted.includes('blockTime') ? day : `${day} ${time}`;
}

function totalTable(pdf: PdfWriter, { assetId, symbol, decimals, totals }: CaseAssetTotals): void {
  pdf.paragraph(`${symbol} (${assetId}), ${decimals} decimals`);
  const table = pdf.table(
    [
      { title: 'Type', share: 22 },
      { title: 'Direction', share: 18 },
      { title: 'Records', share: 12, align: 'right' },
      { title: `Amount in ${symbol}`, share: 28, align: 'right' },
      { title: 'Undecryptable', share: 14, align: 'right' },
      { title: 'Restricted', share: 12, align: 'right' },
    ],
    'portrait',
  );
  for (const total of totals) {
    const shown = total.count - total.undecryptable - total.restricted;
    table.row([
      TYPE_NAMES[total.type],
      FLOW_NAMES[total.flow],
      total.count.toLocaleString('en'),
      shown === 0 ? { muted: '–' } : decimalAmount(total.amount, decimals),
      total.undecryptable.toLocaleString('en'),
      total.restricted.toLocaleString('en'),
    ]);
  }
  table.end();
}

function listed(flags: DisclosureFlags, granted: boolean): string {
  const names = Object.entries(FLAG_NAMES)
    .filter(([flag]) => flags[flag as keyof DisclosureFlags] === granted)
    .map(([, name]) => name);
  return names.length === 0 ? 'nothing' : names.join(', ');
}
