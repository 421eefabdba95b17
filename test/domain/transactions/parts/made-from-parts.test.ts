import { createHash } from 'node:crypto';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { archivePart, attachPart, moveOldRecords } from '../../../../src/domain/transactions/index.js';
import { TOKEN_2022_SPLIT, verifyDecryption } from '../../../../src/platform/crypto/index.js';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import { base64 } from '../../../../src/platform/kernel/encoding/bytes.js';
import { temporaryDirectory } from '../../../app/gateway-process.js';
import { EVERY_FLAG, openOffice, setClock } from '../../cases/kit.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { testFoundation } from '../../../kit/seed.js';
import { caseReport, parseCsv, reportingOf, seedEachType, textOf } from '../../reports/kit.js';

const REPORTS = [
  ['transaction_detail', 'csv'],
  ['transaction_detail', 'json'],
  ['transaction_summary', 'csv'],
] as const;

it('reports and proofs are made from records in parts as from new ones, and never with records missing', async () => {
  await using database = await createTestDatabase();
  const foundation = testFoundation(database, setClock());
  const office = await openOffice(foundation);
  await using reporting = reportingOf(foundation, office.pool);
  await seedEachType(foundation, office);
  await database.rows(
    sql`update transactions set indexed_at = '2025-01-01T00:00:00Z'::timestamptz + position * interval '1 day'`,
  );
  const granted = await office.open({ disclosureFlags: EVERY_FLAG });
  const masked = await office.open();

  /** Every report of both cases, a page of each, and the statement and proof of each amount. */
  const everything = async () => {
    const texts: string[] = [];
    const pages: object[] = [];
    for (const { id: caseId } of [granted, masked]) {
      for (const [reportType, format] of REPORTS) {
        const input = { foreignId: 'payments', caseId, reportType, format };
        const report = await caseReport(reporting, office.ana.principal, input);
        const text = await textOf(foundation, report);
        expect(createHash('sha256').update(text).digest('hex')).toBe(report.sha256);
        texts.push(text.replaceAll(report.id, 'the report'));
      }
      const { nodes } = await office.transactions(caseId);
      pages.push(nodes.map(({ id, amount, type, blockTime }) => ({ id, amount, type, blockTime })));
    }
    return { texts, pages };
  };
  const proven = async () => {
    const { nodes } = await office.transactions(granted.id);
    const amounts: string[] = [];
    for (const { amount, proof } of nodes) {
      const made = await proof;
      if (made === null) continue;
      const { auditorElGamalPubkey, ciphertext } = made;
      const statement = {
        publicKey: base64.decode(auditorElGamalPubkey)!,
        ciphertext: {
          ...{ lo: base64.decode(ciphertext.lo)!, hi: base64.decode(ciphertext.hi)! },
          ...TOKEN_2022_SPLIT,
        },
        proof: base64.decode(made.proof)!,
      };
      expect(verifyDecryption({ ...statement, value: BigInt(amount!) })).toBe(true);
      expect(verifyDecryption({ ...statement, value: BigInt(amount!) + 1n })).toBe(false);
      amounts.push(amount!);
    }
    return amounts;
  };

  const before = await everything();
  expect(parseCsv(before.texts[0]!)).toHaveLength(7);
  const amounts = await proven();
  expect(amounts).toEqual(['70001', '9', '4']);
  // First half of them in a part, then all in two parts.
  for (const [day, left] of [
    ['2025-01-05', 5],
    ['2025-02-01', 0],
  ] as const) {
    await moveOldRecords(database, { before: new Date(day), tablespace: null });
    expect(await newRecords(database)).toBe(left);
    expect(await everything()).toEqual(before);
    expect(await proven()).toEqual(amounts);
  }
  // While records are archived, nothing is created that would miss them. Afterwards everything is as before.
  await using directory = await temporaryDirectory();
  const file = path.join(directory.path, 'records');
  await archivePart(database, { before: new Date('2025-01-05'), file });
  const away = {
    code: 'CONFLICT',
    reason: 'records_archived',
    message:
      'Records that were indexed before 2025-01-05 are in cold storage. Ask for later ones, or ask the operator to attach them.',
  };
  const count = () => database.rows(sql`select count(*)::integer as count from reports`);
  const reports = await count();
  for (const { id: caseId } of [granted, masked]) {
    await expect(office.transactions(caseId)).rejects.toMatchObject(away);
    for (const [reportType, format] of REPORTS) {
      const input = { foreignId: 'payments', caseId, reportType, format };
      await expect(caseReport(reporting, office.ana.principal, input)).rejects.toMatchObject(away);
    }
  }
  expect(await count()).toEqual(reports);
  await attachPart(database, { file, tablespace: null });
  expect(await everything()).toEqual(before);
  expect(await proven()).toEqual(amounts);
}, 480_000);

async function newRecords(database: Database): Promise<number> {
  const [row] = await database.rows(sql<{ count: number }>`
    select count(*)::integer as count from transactions where part = 0`);
  return row!.count;
}
