import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import type { ReportPlan } from '../../../src/domain/reports/generation/report-maker.js';
import { CHUNK_BYTES } from '../../../src/domain/reports/generation/report-chunks.js';
import { findGeneration } from '../../../src/domain/reports/generation/find-generation.js';
import type { Reporting } from '../../../src/domain/reports/index.js';
import type { Piece, ReportContent } from '../../../src/domain/reports/report-content.js';
import { inlinePool } from '../../kit/ledger/inline-pool.js';
import { seedOrganization, openTestFoundation, type SeededOrganization } from '../../kit/seed.js';
import { eventually } from '../../kit/eventually.js';
import { reportingOf, stored } from './kit.js';

const { database, foundation } = await openTestFoundation();

describe('a report of given content', () => {
  let reporting: Reporting;
  let home: SeededOrganization;
  beforeAll(async () => {
    reporting = reportingOf(foundation, inlinePool());
    home = await seedOrganization(foundation);
  });
  afterAll(async () => reporting[Symbol.asyncDispose]());

  const planOf = (
    pieces: () => AsyncIterable<Piece>,
    { format = 'csv', holdsRecords = true }: Partial<ReportPlan & ReportContent> = {},
  ): ReportPlan => ({
    ...{ user: home.owner.principal, application: undefined, reportType: 'activity_log', format },
    scope: { caseId: null, periodFrom: null, periodTo: null, disclosureFlags: null, assetIds: null },
    requireRight: () => Promise.resolve(),
    capture: () =>
      Promise.resolve({
        ...{ recordTotal: { count: 1, isEstimate: true }, pieces: pieces(), holdsRecords },
        ...{ object: { type: 'report' }, details: {} },
      }),
  });
  const made = async (plan: ReportPlan) => {
    const id = await reporting.maker.begin(plan);
    await reporting.maker.made(id);
    return id;
  };
  const piecesOf = (...records: number[]) =>
    async function* () {
      for (const count of records) yield await Promise.resolve({ data: 'x', records: count });
    };

  it('is not finished if the database lost a chunk, as after a restart', async () => {
    const before = await stored(database);
    async function* losing() {
      yield { data: 'a'.repeat(CHUNK_BYTES), records: 1 };
      await eventually(
        () => database.rows(sql`delete from report_chunks returning chunk_index`),
        (lost) => lost.length === 1,
      );
      yield { data: 'b'.repeat(CHUNK_BYTES), records: 1 };
    }
    const id = await reporting.maker.begin(planOf(losing));
    await expect(reporting.maker.made(id)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The database restarted and lost a part of the report. Generate the report again.',
    });
    expect(await findGeneration(foundation, home.owner.principal, { foreignId: null, id })).toMatchObject({
      status: 'failed',
      failure: 'The database restarted and lost a part of the report. Generate the report again.',
    });
    expect(await stored(database)).toMatchObject({ chunks: before.chunks, reports: before.reports });
  });

  it.each([
    ['csv', [999_999, 1], 1],
    ['json', [500_000, 500_000], 1],
    ['pdf', [50_000], 1],
  ] as const)('has as many records as a %s holds, and not one more', async (format, records, another) => {
    await made(planOf(piecesOf(...records), { format }));
    await expect(made(planOf(piecesOf(...records, another), { format }))).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    });
    // Totals have no limit.
    await made(planOf(piecesOf(...records, another), { format, holdsRecords: false }));
  });
});
