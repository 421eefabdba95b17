import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { listActivity } from '../../../src/domain/activity-log/index.js';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { downloadReport } from '../../../src/domain/reports/download-report.js';
import { listReports } from '../../../src/domain/reports/list-reports.js';
import { sql } from '../../../src/platform/database/index.js';
import { seedRecords, auditorCiphertexts } from '../../kit/ledger/confidential-records.js';
import { forFile } from '../../kit/for-file.js';
import { seedMember, type SeededUser, openTestFoundation } from '../../kit/seed.js';
import { openOffice, setClock } from '../cases/kit.js';
import { bytesOf, caseReport, reportingOf } from './kit.js';

const AMOUNT = 842_135n;
const BLOCK_TIME = Date.UTC(2026, 1, 10) / 1000;

const { database, foundation } = await openTestFoundation(setClock());
const office = await openOffice(foundation);
const reporting = forFile(reportingOf(foundation, office.pool));
const administrator = await seedMember(foundation, office.organization.id, {
  applications: [
    { foreignId: 'payments', administrator: PERMISSIONS.administrator, common: PERMISSIONS.common },
  ],
});

describe('what reports reveal to people who may not download them', () => {
  let file: Buffer;
  let reportId: string;

  beforeAll(async () => {
    await seedRecords(foundation, office.asset, [
      {
        blockTime: BLOCK_TIME,
        ciphertexts: auditorCiphertexts(office.asset.auditorPublicKey, AMOUNT),
      },
    ]);
    const { id: caseId } = await office.open();
    const report = await caseReport(reporting, office.ana.principal, {
      foreignId: 'payments',
      caseId,
      reportType: 'transaction_summary',
    });
    reportId = report.id;
    file = await bytesOf(foundation, report);
  });

  const activityOf = async ({ principal }: SeededUser) =>
    (await listActivity(foundation, principal, { foreignId: 'payments', first: 200 })).nodes;
  const reportsOf = async ({ principal }: SeededUser) =>
    (await listReports(foundation, principal, { foreignId: 'payments' })).nodes;

  it('an administrator who tries amounts against a published digest finds none', async () => {
    const readable = JSON.stringify([await reportsOf(administrator), await activityOf(administrator)]);
    // The administrator knows everything of the file except the amount.
    const [before, after] = file.toString().split(String(AMOUNT));
    expect(after).toBeDefined();
    for (let amount = AMOUNT - 50n; amount <= AMOUNT + 50n; amount += 1n) {
      const guess = createHash('sha256').update(`${before}${amount}${after}`).digest();
      for (const encoding of ['hex', 'base64', 'base64url'] as const)
        expect(readable).not.toContain(guess.toString(encoding));
    }
  });

  it('an attacker with a copy of the database but not its keys finds no amount by trying', async () => {
    const tables = await database.rows(sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`);
    const rows: string[] = [];
    for (const { name } of tables) {
      const found = await database.rows(
        sql<{ text: string }>`select held::text as text from ${sql.id(name)} as held`,
      );
      rows.push(...found.map(({ text }) => text));
    }
    const copy = rows.join('\n');
    expect(copy).toContain(reportId);
    const digest = createHash('sha256').update(file).digest();
    // The copy does not show which 16 bytes are a salt, so each value of that length may be one.
    const salts = [...copy.matchAll(/x([0-9a-f]{32})\b/g)].map(([, hex]) => Buffer.from(hex!, 'hex'));
    const logged = salts.map((salt) => createHash('sha256').update(salt).update(digest).digest());
    for (const guess of [digest, ...logged])
      for (const encoding of ['hex', 'base64'] as const)
        expect(copy.includes(guess.toString(encoding))).toBe(false);
  });

  it('file sizes, which depend on the digits of amounts, are neither in the listing nor in the log', async () => {
    expect(await reportsOf(administrator)).toMatchObject([{ id: reportId, sha256: null, sizeBytes: null }]);
    for (const { details } of await activityOf(administrator)) {
      expect(details).not.toHaveProperty('size_bytes');
      expect(Object.values(details)).not.toContain(file.length);
    }
  });

  it('the auditor who may download the file gets size and digest, and verifies the file against the log with the salt', async () => {
    const [listed] = await reportsOf(office.ana);
    const sha256 = createHash('sha256').update(file).digest();
    expect(listed).toMatchObject({ sha256: sha256.toString('hex'), sizeBytes: file.length });
    const { salt } = await downloadReport(foundation, office.ana.principal, {
      foreignId: 'payments',
      id: reportId,
    });
    expect(salt).toHaveLength(16);
    const salted = createHash('sha256').update(salt).update(sha256).digest('hex');
    const logged = (await activityOf(administrator)).find(
      ({ eventType }) => eventType === 'report.generated',
    );
    expect(logged!.details).toMatchObject({ salted_sha256: salted });
  });

  it('two copies of the same file have different salts, so that equal contents are not recognizable', async () => {
    const { id: caseId } = await office.open();
    const generate = () =>
      caseReport(reporting, office.ana.principal, {
        foreignId: 'payments',
        caseId,
        reportType: 'transaction_summary',
      });
    const [one, other] = [await generate(), await generate()];
    expect(one.sha256).toBe(other.sha256);
    const digests = (await activityOf(administrator))
      .filter(({ object }) => [one.id, other.id].includes(object['report_id'] as typeof one.id))
      .map(({ details }) => details['salted_sha256']);
    expect(new Set(digests).size).toBe(2);
  });

  it('cursors do not reveal how many reports other organizations have', async () => {
    // A number that does not occur in random bytes by chance.
    await database.rows(sql`alter table reports alter column sequence restart with 734512698`);
    const { id: caseId } = await office.open();
    const input = { foreignId: 'payments', caseId, reportType: 'transaction_summary' };
    await caseReport(reporting, office.ana.principal, input);
    await caseReport(reporting, office.ana.principal, input);
    const page = { foreignId: 'payments', caseId, first: 1 };
    const first = await listReports(foundation, office.ana.principal, page);
    const after = first.pageInfo.endCursor!;
    const held = Buffer.from(after, 'base64url').toString('latin1');
    expect(held).not.toContain('73451269');
    const second = await listReports(foundation, office.ana.principal, { ...page, after });
    expect(second.nodes).toHaveLength(1);
    expect(second.nodes[0]!.id).not.toBe(first.nodes[0]!.id);
    // The same length as the cursor of any other number.
    expect(second.pageInfo.endCursor).toHaveLength(after.length);
  });
});
