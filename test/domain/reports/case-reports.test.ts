import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import { listReports } from '../../../src/domain/reports/list-reports.js';
import { type Report, selectReports } from '../../../src/domain/reports/report.js';
import { digestOf, saltedDigest } from '../../../src/domain/reports/report-digest.js';
import { seedRecords } from '../../kit/ledger/confidential-records.js';
import { forFile } from '../../kit/for-file.js';
import { seedMember, openTestFoundation } from '../../kit/seed.js';
import { loggedEntries, sequence } from '../activity-log/kit.js';
import { codeOf, DAY, EVERY_FLAG, openOffice, setClock } from '../cases/kit.js';
import { bytesOf, caseReport, parseCsv, reportingOf, seedEachType, textOf } from './kit.js';

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const office = await openOffice(foundation);
const reporting = forFile(reportingOf(foundation, office.pool));
await seedEachType(foundation, office);
const record = await office.open();
const granted = await office.open({ disclosureFlags: EVERY_FLAG });

describe('a report on a case', () => {
  beforeEach(() => clock.set('2026-03-10T12:00:00.000Z'));

  const generate = (caseId: string, reportType: string, format?: string, principal = office.ana.principal) =>
    caseReport(reporting, principal, { foreignId: 'payments', caseId, reportType, format });

  it('contains every record in the scope, in ledger order, as a detailed CSV', async () => {
    const report = await generate(granted.id, 'transaction_detail');
    const [header, ...rows] = parseCsv(await textOf(foundation, report));
    expect(header!.slice(0, 8)).toEqual([
      ...['id', 'network_transaction_id', 'type', 'block_time', 'asset_id', 'symbol', 'decimals', 'amount'],
    ]);
    expect(rows.map((row) => [row[2], row[7], row[12]])).toEqual([
      ['confidential_deposit', '5000000', ''],
      ['confidential_withdraw', '1250000', ''],
      ['confidential_transfer', '70001', ''],
      ['confidential_transfer', '', 'yes'],
      ['confidential_mint', '9', ''],
      ['confidential_burn', '4', ''],
    ]);
    expect(rows[0]![3]).toBe('2026-02-10T00:00:00.000Z');
    expect(report).toMatchObject({ reportType: 'transaction_detail', format: 'csv', recordCount: 6 });
  });

  it('defuses cells that a spreadsheet would treat as a formula', async () => {
    const [, row] = parseCsv(await textOf(foundation, await generate(granted.id, 'transaction_detail')));
    expect(row![11]).toBe("'=cmd|calc");
  });

  it('contains for a case without flags nothing that the case does not grant', async () => {
    for (const format of ['csv', 'json']) {
      const text = await textOf(foundation, await generate(record.id, 'transaction_detail', format));
      const full = await textOf(foundation, await generate(granted.id, 'transaction_detail', 'csv'));
      const [, ...rows] = parseCsv(full);
      for (const row of rows) {
        for (const secret of [row[0], row[1], row[8], row[10]]) expect(text).not.toContain(secret);
      }
      expect(text).not.toContain('1250000');
      expect(text).toContain('network_transaction_id');
      expect(text).toContain('source_account');
    }
  });

  it('adds its scope and totals to the records in JSON', async () => {
    const report = await generate(record.id, 'transaction_detail', 'json');
    const content = JSON.parse(await textOf(foundation, report)) as Record<string, unknown>;
    expect(content).toMatchObject({
      report: { id: report.id, report_type: 'transaction_detail' },
      generated_by: { name: 'Ana Auditor' },
      case: { id: record.id, period_from: '2026-01-01', disclosure_flags: { withdrawal_details: false } },
    });
    expect(content['records']).toHaveLength(6);
    expect(content['totals']).toEqual([
      expect.objectContaining({
        symbol: 'PUSD',
        totals: expect.arrayContaining([
          expect.objectContaining({ type: 'confidential_withdraw', amount: '0', count: 1, restricted: 1 }),
          expect.objectContaining({ type: 'confidential_transfer', amount: '70001', undecryptable: 1 }),
        ]),
      }),
    ]);
  });

  it('contains only the totals if it is a summary', async () => {
    const rows = parseCsv(await textOf(foundation, await generate(granted.id, 'transaction_summary')));
    expect(rows.slice(1).map((row) => row.slice(3))).toEqual([
      ['confidential_deposit', 'in', '1', '5000000', '0', '0'],
      ['confidential_withdraw', 'out', '1', '1250000', '0', '0'],
      ['confidential_transfer', 'within', '2', '70001', '1', '0'],
      ['confidential_mint', 'in', '1', '9', '0', '0'],
      ['confidential_burn', 'out', '1', '4', '0', '0'],
    ]);
    const json = await generate(granted.id, 'transaction_summary', 'json');
    const content = JSON.parse(await textOf(foundation, json)) as Record<string, unknown>;
    expect(Object.keys(content)).not.toContain('records');
    expect(json.recordCount).toBe(6);
  });

  it('states in its PDF what it is, for whom, what was granted, and how to verify it', async () => {
    await sequence(foundation);
    const report = await generate(record.id, 'transaction_detail', 'pdf');
    const bytes = await bytesOf(foundation, report);
    const pdf = await getDocumentProxy(new Uint8Array(bytes));
    const { text, totalPages } = await extractText(pdf, { mergePages: false });
    const all = text.join('\n').replace(/\s+/g, ' ');
    const [cover] = text;
    for (const expected of [
      'Transaction detail',
      'Acme',
      record.id,
      report.id,
      '2026-01-01 to 2026-03-31',
      'Ana Auditor',
      office.ana.email,
      'Root hash',
      'lucarne.example/log/',
      'Not granted identifiers and exact times of transactions, sender information, withdrawal amounts and destinations',
    ])
      expect(cover!.replace(/\s+/g, ' ')).toContain(expected);
    expect(all).toContain('5.000000');
    expect(all).toContain('0.070001');
    expect(all).toContain('restricted');
    expect(all).toContain('undecryptable');
    expect(all).not.toContain('1.250000');
    text.forEach((page, index) =>
      // The total number of pages is drawn separately, and text extractors join it to the preceding text.
      expect(page.replace(/\s+/g, ' ')).toMatch(new RegExp(`Page ${index + 1} of ?${totalPages}`)),
    );
    expect(text.at(-1)).toContain('How to verify this report');
    const { info } = await getMeta(pdf);
    expect(info).toMatchObject({ Title: 'Transaction detail · Acme', Language: 'en' });
  });

  it('does not change when records are indexed later', async () => {
    const before = await generate(granted.id, 'transaction_detail');
    const bytes = await bytesOf(foundation, before);
    await seedRecords(foundation, office.asset, [
      { type: 'confidential_deposit', blockTime: Date.UTC(2026, 1, 20) / 1000, publicData: { amount: '77' } },
    ]);
    const after = await generate(granted.id, 'transaction_detail');
    expect(after.recordCount).toBe(before.recordCount + 1);
    expect(await bytesOf(foundation, before)).toEqual(bytes);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(before.sha256);
    expect(bytes.length).toBe(before.sizeBytes);
  });

  it('is logged once, with a salted digest, and shows its log index once it is sequenced', async () => {
    const { id } = await generate(granted.id, 'transaction_detail');
    const [report] = (await selectReports(database, { organizationId: office.organization.id, id })) as [
      Report,
    ];
    expect(report.logIndex).toBeNull();
    const { digest, salt } = digestOf(foundation.sealer, report);
    await sequence(foundation);
    const entries = await loggedEntries(database, office.organization.id);
    const own = entries.filter(({ entry }) => JSON.stringify(entry).includes(report.id));
    expect(own).toHaveLength(1);
    expect(own[0]!.entry).toMatchObject({
      event_type: 'report.generated',
      case_id: granted.id,
      application_foreign_id: 'payments',
      object: { report_id: report.id },
      details: {
        salted_sha256: saltedDigest(salt, digest),
        record_count: report.recordCount,
        format: 'csv',
      },
    });
    expect(JSON.stringify(own[0]!.entry)).not.toContain(Buffer.from(digest).toString('hex'));
    const { nodes } = await listReports(foundation, office.ana.principal, { foreignId: 'payments' });
    expect(nodes.find(({ id }) => id === report.id)!.logIndex).toBe(own[0]!.index);
  });

  it('is created only by an assigned auditor, inside the window, with the permission', async () => {
    const input = { foreignId: 'payments', caseId: record.id, reportType: 'transaction_detail' };
    const lister = await seedMember(foundation, office.organization.id, {
      applications: [{ foreignId: 'payments', auditor: ['reports:list', 'reports:view_transactions'] }],
    });
    const refused = (principal: typeof lister.principal, more: object = {}) =>
      codeOf(caseReport(reporting, principal, { ...input, ...more }));
    expect(await refused(lister.principal)).toBe('FORBIDDEN');
    expect(await refused(office.administrator.principal)).toBe('FORBIDDEN');
    expect(await refused(office.owner.principal)).toBe('FORBIDDEN');
    expect(await refused(office.ana.principal, { foreignId: 'other' })).toBe('FORBIDDEN');
    expect(await refused(office.abel.principal)).toBe('NOT_FOUND');
    expect(await refused(office.ana.principal, { caseId: 'cas_1' })).toBe('BAD_USER_INPUT');
    expect(await refused(office.ana.principal, { reportType: 'activity_log' })).toBe('BAD_USER_INPUT');
    expect(await refused(office.ana.principal, { format: 'xlsx' })).toBe('BAD_USER_INPUT');
    clock.advance(30 * DAY);
    expect(await refused(office.ana.principal)).toBe('NOT_FOUND');
  });
});
