import type { ExpressionBuilder } from 'kysely';
import {
  columnsOf,
  query,
  sql,
  type Database,
  type Foundation,
  type Reader,
  type RowOf,
  type Tables,
  valuesOf,
} from '../../../platform/database/index.js';
import { isFree, isLeased, leaseExpiry, RELEASED } from '../../../platform/jobs/index.js';
import { tooManyRequests } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { lockOrganization } from '../../access/index.js';
import type { RecordTotal } from '../report-content.js';
import { selectReports } from '../report.js';
import { type VisibleReport, visibleReports } from '../visible-report.js';
import type { ReportAccess, ReportMaking } from '../report-access.js';
import { ReportGenerationEntity } from '../report.entity.js';

/** A running generation ends once: it becomes a report, which replaces its row, or it fails. */
export const GENERATION_STATUSES = ['running', 'finished', 'failed'] as const;
export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

const SHOWN = [
  ...(['id', 'organizationId', 'applicationId', 'caseId', 'reportType', 'requestedBy'] as const),
  ...(['recordCount', 'recordTotal', 'recordTotalIsEstimate', 'failure'] as const),
] as const;

/** The generation of a report, and its outcome. Its id is that of the report. */
export interface ReportGeneration extends Pick<RowOf<typeof ReportGenerationEntity>, (typeof SHOWN)[number]> {
  readonly status: GenerationStatus;
  /** The report, once it is finished. */
  readonly report: VisibleReport | null;
}

/** Published at each step of a generation. */
export const generationTopic = (id: Id<'rpt'>) => `report:${id}`;

/** Maximum number of concurrent generations of one organization. */
export const MAX_ORGANIZATION_GENERATIONS = 4;
/** One person leaves places to the others. */
export const MAX_PERSON_GENERATIONS = MAX_ORGANIZATION_GENERATIONS / 2;
const LEASE_DURATION_MS = 60_000;
/** How long a failed generation can be read. */
const FAILED_RETENTION_DAYS = 1;

export type NewGeneration = Pick<
  ReportGeneration,
  'id' | 'organizationId' | 'applicationId' | 'caseId' | 'reportType' | 'requestedBy'
> & { readonly requestedAt: Date };

/**
 * Begins a generation under a lease, if `requireRight` does not throw after the wait for others of the organization.
 * @throws `TOO_MANY_REQUESTS` if the organization or the person has too many.
 */
export async function insertGeneration(
  database: Database,
  row: NewGeneration,
  lease: string,
  requireRight: (reader: Reader) => Promise<void>,
): Promise<void> {
  const { organizationId } = row;
  await database.transaction(async (transaction) => {
    // Serializes the callers of one organization, so that the limit holds.
    await lockOrganization(transaction, organizationId);
    await requireRight(transaction);
    const [running] = await transaction.rows(
      query
        .selectFrom('report_generations')
        .select(({ fn }) => [
          fn.countAll<number>().as('count'),
          fn.countAll<number>().filterWhere('requested_by', '=', row.requestedBy).as('own'),
        ])
        .where('organization_id', '=', organizationId)
        .where('status', '=', 'running')
        .where(isLeased),
    );
    if ((running?.own ?? 0) >= MAX_PERSON_GENERATIONS)
      throw tooManyRequests(
        `You already have ${MAX_PERSON_GENERATIONS} reports in progress, and the other places are for others. Try again when one has finished.`,
        10,
      );
    if ((running?.count ?? 0) >= MAX_ORGANIZATION_GENERATIONS)
      throw tooManyRequests(
        `Your organization already has ${MAX_ORGANIZATION_GENERATIONS} reports in progress. Try again when one has finished.`,
        10,
      );
    await transaction.rows(
      query.insertInto('report_generations').values(
        valuesOf(ReportGenerationEntity, {
          ...row,
          status: 'running',
          leaseOwner: lease,
          leaseExpiresAt: leaseExpiry({ durationMs: LEASE_DURATION_MS }),
        }),
      ),
    );
  });
}

/** The database times leases, because it has the one clock that all instances share. */
const databaseTime = sql<Date>`now()`;

/** The row of a generation that runs under this lease. */
export const heldGeneration =
  (id: Id<'rpt'>, lease: string) => (generations: ExpressionBuilder<Tables, 'report_generations'>) =>
    generations.and({ id, status: 'running', lease_owner: lease });

/** Renews the lease and stores the progress. Returns false if the lease is lost. */
export async function renewGeneration(
  reader: Reader,
  id: Id<'rpt'>,
  lease: string,
  { recordCount, total }: { readonly recordCount: number; readonly total: RecordTotal | null },
): Promise<boolean> {
  const rows = await reader.rows(
    query
      .updateTable('report_generations')
      .set({
        record_count: recordCount,
        record_total: total?.count ?? null,
        record_total_is_estimate: total?.isEstimate ?? false,
        lease_expires_at: leaseExpiry({ durationMs: LEASE_DURATION_MS }),
      })
      .where(heldGeneration(id, lease))
      .returning('id'),
  );
  return rows.length > 0;
}

/** Ends a failed generation, and deletes its partial file. */
export async function failGeneration(
  { database, signals }: Pick<Foundation, 'database' | 'signals'>,
  id: Id<'rpt'>,
  lease: string,
  failure: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const failed = await transaction.rows(
      query
        .updateTable('report_generations')
        .set({ status: 'failed', failure, ended_at: databaseTime, ...RELEASED })
        .where(heldGeneration(id, lease))
        .returning('id'),
    );
    if (failed.length > 0)
      await transaction.rows(query.deleteFrom('report_chunks').where('content_id', '=', id));
    transaction.afterCommit(() => signals.publish(generationTopic(id)));
  });
}

/**
 * Fails the generations whose lease expired, deletes their partial files, and deletes old failed generations. A slow writer
 * finds that its lease is lost and writes nothing more. Returns the number of failed generations.
 */
export async function sweepGenerations({
  database,
  signals,
}: Pick<Foundation, 'database' | 'signals'>): Promise<number> {
  return database.transaction(async (transaction) => {
    const expired = await transaction.rows(
      query
        .updateTable('report_generations')
        .set({
          status: 'failed',
          failure: 'The gateway stopped during the generation. Generate the report again.',
          ended_at: databaseTime,
          ...RELEASED,
        })
        .where('status', '=', 'running')
        .where(isFree)
        .returning('id'),
    );
    const ids = expired.map(({ id }) => id);
    if (ids.length > 0)
      await transaction.rows(query.deleteFrom('report_chunks').where('content_id', 'in', ids));
    await transaction.rows(
      query
        .deleteFrom('report_generations')
        .where('status', '=', 'failed')
        .where('ended_at', '<', sql<Date>`now() - make_interval(days => ${FAILED_RETENTION_DAYS})`),
    );
    transaction.afterCommit(() => {
      for (const id of ids) signals.publish(generationTopic(id));
    });
    return ids.length;
  });
}

/** The running, failed or finished generation; `undefined` if the organization has none with this id. */
export async function readGeneration(
  foundation: Pick<Foundation, 'database' | 'clock' | 'sealer'>,
  access: ReportAccess,
  id: Id<'rpt'>,
): Promise<ReportGeneration | undefined> {
  const { organizationId } = access;
  const [row] = await foundation.database.rows(
    query
      .selectFrom('report_generations')
      .select('status')
      .select(columnsOf(ReportGenerationEntity, SHOWN))
      .where('organization_id', '=', organizationId)
      .where('id', '=', id),
  );
  if (row) return { ...row, report: null };
  // Read second, because a generation that finishes between the two reads is a report by then.
  const [finished] = await selectReports(foundation.database, { organizationId, id });
  if (!finished) return undefined;
  const [report] = await visibleReports(foundation, access, [finished]);
  const { applicationId, caseId, reportType, generatedBy, recordCount } = finished;
  return {
    ...{ id, organizationId, applicationId, caseId, reportType },
    ...{ requestedBy: generatedBy.id, status: 'finished' },
    ...{
      recordCount,
      recordTotal: recordCount,
      recordTotalIsEstimate: false,
      failure: null,
      report: report ?? null,
    },
  };
}

/** The running generations of the user in these applications and on the whole organization, newest first. */
export async function selectRunningGenerations(
  reader: Reader,
  { user, applicationIds }: ReportMaking,
): Promise<ReportGeneration[]> {
  const rows = await reader.rows(
    query
      .selectFrom('report_generations')
      .select('status')
      .select(columnsOf(ReportGenerationEntity, SHOWN))
      .where('organization_id', '=', user.organizationId)
      .where('status', '=', 'running')
      .where('requested_by', '=', user.userId)
      .orderBy('id', 'desc'),
  );
  // Only a few run at once. Thousands of ids would make a long statement.
  return rows
    .filter(({ applicationId }) => applicationIds.includes(applicationId))
    .map((row) => ({ ...row, report: null }));
}
