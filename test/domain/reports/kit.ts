import { createReporting, readReportBytes, type Reporting } from '../../../src/domain/reports/index.js';
import { type Database, type Foundation, sql } from '../../../src/platform/database/index.js';
import type { VisibleReport } from '../../../src/domain/reports/visible-report.js';
import {
  generateCaseReport,
  type GenerateCaseReportInput,
} from '../../../src/domain/reports/generation/generate-case-report.js';
import {
  generateLogReport,
  type GenerateLogReportInput,
} from '../../../src/domain/reports/generation/generate-log-report.js';
import type { Principal } from '../../../src/domain/access/index.js';
import type { InlinePool } from '../../kit/ledger/inline-pool.js';
import {
  auditorCiphertexts,
  type SeededAsset,
  type SeededRecord,
  seedRecords,
} from '../../kit/ledger/confidential-records.js';
import type { CaseOffice } from '../cases/kit.js';
import { PUBLIC_HOST } from '../activity-log/kit.js';

/** A report as shown to a user who may download it. */
export interface DownloadableReport extends VisibleReport {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly salt: Uint8Array;
}

export function reportingOf(foundation: Foundation, pool: InlinePool): Reporting {
  return createReporting(foundation, { pool, publicHost: () => PUBLIC_HOST });
}

/** Generates the report and waits for it. */
export async function caseReport(
  reporting: Reporting,
  principal: Principal,
  input: GenerateCaseReportInput,
): Promise<DownloadableReport> {
  return (await generateCaseReport(reporting, principal, { wait: true, ...input }))
    .report as DownloadableReport;
}

export async function logReport(
  reporting: Reporting,
  principal: Principal,
  input: GenerateLogReportInput = {},
): Promise<DownloadableReport> {
  return (await generateLogReport(reporting, principal, { wait: true, ...input }))
    .report as DownloadableReport;
}

export async function bytesOf(
  foundation: Foundation,
  { organizationId, id, sizeBytes }: Pick<DownloadableReport, 'organizationId' | 'id' | 'sizeBytes'>,
  range: { start: number; end: number } = { start: 0, end: sizeBytes },
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readReportBytes(foundation, organizationId, id, range)) pieces.push(piece);
  return Buffer.concat(pieces);
}

export const textOf = async (foundation: Foundation, report: DownloadableReport) =>
  (await bytesOf(foundation, report)).toString();

/** The stored data of reports. */
export async function stored(
  database: Database,
): Promise<{ generations: number; chunks: number; files: number; reports: number }> {
  const [row] = await database.rows(sql<{
    generations: number;
    chunks: number;
    files: number;
    reports: number;
  }>`
    select (select count(*) from report_generations) as generations, (select count(*) from report_chunks) as chunks,
      (select count(*) from report_files) as files, (select count(*) from reports) as reports`);
  return row!;
}

const FEBRUARY = Date.UTC(2026, 1, 10) / 1000;

/** A record of each type within the office's period, amounts in base units, and one outside. */
export async function seedEachType(foundation: Foundation, { asset }: CaseOffice) {
  const encrypted = (amount: bigint) => auditorCiphertexts(asset.auditorPublicKey, amount);
  const records: SeededRecord[] = [
    { type: 'confidential_deposit', publicData: { amount: '5000000', authority: '=cmd|calc' } },
    { type: 'confidential_withdraw', publicData: { amount: '1250000' } },
    { type: 'confidential_transfer', ciphertexts: encrypted(70_001n) },
    { type: 'confidential_transfer', ciphertexts: {} },
    { type: 'confidential_mint', ciphertexts: encrypted(9n) },
    { type: 'confidential_burn', ciphertexts: encrypted(4n) },
    { type: 'configure_account' },
    { type: 'confidential_deposit', blockTime: FEBRUARY - 90 * 86_400, publicData: { amount: '1' } },
  ];
  return seedRecords(
    foundation,
    asset,
    records.map((record, index) => ({ blockTime: FEBRUARY + index * 60, ...record })),
  );
}

/** Public deposits one second apart, as the indexer writes them, up to `last` (Unix seconds). */
export async function seedDeposits(
  { database }: Pick<Foundation, 'database'>,
  asset: Pick<SeededAsset, 'id'>,
  count: number,
  last: number,
): Promise<void> {
  const account = '7Yb3KpXw5VnRcT9mLqJ2hDfGsE8uAoNi4ZxWkMyCtBvQ';
  await database.rows(sql`
    insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
      source_account, destination_account, public_data, ciphertexts, indexed_at)
    select 'txn_' || lpad(n::text, 26, '0'), ${asset.id}, n, repeat(md5(n::text), 3), '{0,0,0}',
      'confidential_deposit', 1000 + n, ${last - count}::bigint + n, ${account}, ${account}, ${account},
      jsonb_build_object('amount', (n * 1000)::text, 'authority', ${account}::text), '{}', now()
    from generate_series(1, ${count}::integer) as n`);
}

/** An independent parser of RFC 4180: rows of cells. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy;
  for (let match; (match = cell.exec(text)) !== null && cell.lastIndex <= text.length;) {
    rows.at(-1)!.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\r\n') {
      if (cell.lastIndex === text.length) break;
      rows.push([]);
    }
    if (match[3] === '') break;
  }
  return rows;
}
