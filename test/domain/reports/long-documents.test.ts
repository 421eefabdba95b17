import { describe, expect, it } from '@jest/globals';
import { getDocumentProxy } from 'unpdf';
import type { CaseTransaction } from '../../../src/domain/cases/index.js';
import { caseReportDocument } from '../../../src/domain/reports/content/case-report-pdf.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { countingSteps } from '../../kit/process/event-loop.js';

type Report = Parameters<typeof caseReportDocument>[0];

/** Each with a different asset, which is the maximum for a case, with a table of totals each. */
const RECORDS = 1_000;
const ADDRESS = 'So11111111111111111111111111111111111111112';
const AT = new Date(Date.UTC(2026, 0, 1));

function record(blockTime: number): CaseTransaction {
  return {
    ...{
      id: newId('txn'),
      networkTransactionId: ADDRESS + ADDRESS,
      assetId: newId('ast'),
      symbol: 'USD',
      decimals: 6,
    },
    ...{
      type: 'confidential_transfer',
      blockTime,
      signer: ADDRESS,
      authority: ADDRESS,
      sourceAccount: ADDRESS,
    },
    ...{
      destinationAccount: ADDRESS,
      amount: '842135',
      undecryptable: false,
      restricted: [],
      restrictions: [],
    },
  };
}

async function* pages(records: number): AsyncGenerator<CaseTransaction[]> {
  yield await Promise.resolve(Array.from({ length: records }, (_, second) => record(second)));
}

const report = {
  id: newId('rpt'),
  generatedAt: AT,
  signal: new AbortController().signal,
  user: {
    organizationId: newId('org'),
    organizationName: 'Acme',
    userId: newId('usr'),
    name: 'Zoë',
    email: 'zoe@example.test',
  },
  application: { foreignId: 'payments', name: 'Payments' },
  case: {
    ...{
      id: newId('cas'),
      reason: 'Audit',
      periodFrom: '2026-01-01',
      periodTo: '2026-01-31',
      assetIds: [],
      auditors: [],
    },
    disclosureFlags: { fullTxIds: true, senderInformation: true, withdrawalDetails: true },
  },
  reportType: 'transaction_detail',
  format: 'pdf',
  recordTotal: RECORDS,
  checkpoint: () =>
    Promise.resolve({
      ...{
        organizationId: newId('org'),
        origin: 'lucarne.example/log',
        verifierKey: 'key',
        size: 1,
        note: 'note',
      },
      ...{ root: new Uint8Array(32), signedAt: AT },
    }),
};

async function writeDocument(records: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const input = { ...report, pages: pages(records) } as unknown as Report;
  for await (const { data } of caseReportDocument(input, { title: 'Transaction detail', withRecords: true }))
    pieces.push(data as Uint8Array);
  return Buffer.concat(pieces);
}

describe('a long PDF document', () => {
  it('is written in parts, so that other requests are served between, and has a title and language', async () => {
    // Fonts and the library are loaded once, for the first document.
    await writeDocument(1);
    const { result: bytes, steps } = await countingSteps(() => writeDocument(RECORDS));
    // A step for each record, one for the totals of each asset (each record has a different asset), and some for the file's
    // table.
    expect(steps).toBeGreaterThanOrEqual(2 * RECORDS + 5);
    const pdf = await getDocumentProxy(new Uint8Array(bytes));
    expect(pdf.numPages).toBeGreaterThan(RECORDS / 100);
    const { info } = await pdf.getMetadata();
    expect(info).toMatchObject({ Title: 'Transaction detail · Acme', Language: 'en' });
    expect(await pdf.getViewerPreferences()).toMatchObject({ DisplayDocTitle: true });
  });
});
