import { jsonb, sql, type Database, type Foundation, type Reader } from '../database/index.js';
import { tooManyRequests } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import type { Report } from './report.js';
import { selectReports } from './report.js';

/** A running generation ends once: as a report, which takes the place of its row, or as failed. */
export const GENERATION_STATUSES = ['running', 'finished', 'failed'] as const;
export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

/** A report under way, or what became of it. Its id is that of the report. */
export interface ReportGeneration {
  readonly id: Id<'rpt'>;
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'> | null;
  readonly caseId: Id<'cas'> | null;
  readonly requestedBy: Id<'usr'>;
  readonly status: GenerationStatus;
  /** Records written so far. */
  readonly recordCount: number;
  /** Records to write; null until they are counted. */
  readonly recordTotal: number | null;
  /** Why it failed, for a person. */
  readonly failure: string | null;
  /** The report, once it is finished. */
  readonly report: Report | null;
}

/** Told at each step of a generation. */
export const generationTopic = (id: Id<'rpt'>) => `report:${id}`;

/** Generations of one organization at once. */
export const GENERATIONS_OF_AN_ORGANIZATION = 4;
const LEASE_SECONDS = 60;
/** How long one reads that a generation failed. */
const FAILED_DAYS = 1;

export type NewGeneration = Pick<
  ReportGeneration,
  'id' | 'organizationId' | 'applicationId' | 'caseId' | 'requestedBy'
> & { readonly requestedAt: Date };

/** Begins a generation under a lease, or refuses with `TOO_MANY_REQUESTS`. */
export async function insertGeneration(database: Database, row: NewGeneration, lease: string): Promise<void> {
  const { id, organizationId, applicationId, caseId, requestedBy, requestedAt } = row;
  await database.transaction(async (transaction) => {
    // Beginners of one organization take turns, so that the bound holds.
    await transaction.rows(sql`select id from organizations where id = ${organizationId} for no key update`);
    const [running] = await transaction.rows(sql<{ count: number }>`
      select count(*) as count from report_generations
      where organization_id = ${organizationId} and status = 'running' and lease_expires_at > now()`);
    if ((running?.count ?? 0) >= GENERATIONS_OF_AN_ORGANIZATION)
      throw tooManyRequests(`At most ${GENERATIONS_OF_AN_ORGANIZATION} reports are generated at once.`, 10);
    await transaction.rows(sql`
      insert into report_generations (id, organization_id, application_id, case_id, requested_by, status,
        requested_at, lease_owner, lease_expires_at)
      values (${id}, ${organizationId}, ${applicationId}, ${caseId}, ${requestedBy}, 'running', ${requestedAt},
        ${lease}, ${leaseEnd()})`);
  });
}

// Leases are timed by the database, whose clock all instances share.
const leaseEnd = () => sql`now() + make_interval(secs => ${LEASE_SECONDS})`;

/** Renews the lease and says how far it is. False when the lease is lost. */
export async function renewGeneration(
  reader: Reader,
  id: Id<'rpt'>,
  lease: string,
  { recordCount, recordTotal }: { readonly recordCount: number; readonly recordTotal: number | null },
): Promise<boolean> {
  const rows = await reader.rows(sql`
    update report_generations
    set record_count = ${recordCount}, record_total = ${recordTotal}, lease_expires_at = ${leaseEnd()}
    where id = ${id} and status = 'running' and lease_owner = ${lease} returning id`);
  return rows.length > 0;
}

/** Ends a generation that could not be finished, and removes what it wrote. */
export async function failGeneration(
  { database, signals }: Pick<Foundation, 'database' | 'signals'>,
  id: Id<'rpt'>,
  lease: string,
  failure: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const failed = await transaction.rows(sql`
      update report_generations
      set status = 'failed', failure = ${failure}, ended_at = now(), lease_owner = null, lease_expires_at = null
      where id = ${id} and status = 'running' and lease_owner = ${lease} returning id`);
    if (failed.length > 0) await transaction.rows(sql`delete from report_chunks where content_id = ${id}`);
    transaction.afterCommit(() => signals.publish(generationTopic(id)));
  });
}

/**
 * Fails the generations whose lease is over, with everything that they wrote, and forgets those that failed long ago.
 * A writer that is merely late finds its lease gone and writes nothing more. Returns how many were failed.
 */
export async function sweepGenerations({
  database,
  signals,
}: Pick<Foundation, 'database' | 'signals'>): Promise<number> {
  return database.transaction(async (transaction) => {
    const dead = await transaction.rows(sql<{ id: Id<'rpt'> }>`
      update report_generations
      set status = 'failed', failure = 'The gateway stopped while it was generated; generate it again.',
        ended_at = now(), lease_owner = null, lease_expires_at = null
      where status = 'running' and lease_expires_at <= now() returning id`);
    const ids = dead.map(({ id }) => id);
    if (ids.length > 0) {
      await transaction.rows(sql`
        delete from report_chunks where content_id in (select jsonb_array_elements_text(${jsonb(ids)}))`);
    }
    await transaction.rows(sql`
      delete from report_generations
      where status = 'failed' and ended_at < now() - make_interval(days => ${FAILED_DAYS})`);
    transaction.afterCommit(() => {
      for (const id of ids) signals.publish(generationTopic(id));
    });
    return ids.length;
  });
}

/** The generation of the organization, running, failed or finished; `undefined` when there is none. */
export async function readGeneration(
  reader: Reader,
  organizationId: Id<'org'>,
  id: Id<'rpt'>,
): Promise<ReportGeneration | undefined> {
  const [row] = await reader.rows(sql<Omit<ReportGeneration, 'report'>>`
    select id, organization_id as "organizationId", application_id as "applicationId", case_id as "caseId",
      requested_by as "requestedBy", status, record_count as "recordCount", record_total as "recordTotal", failure
    from report_generations where organization_id = ${organizationId} and id = ${id}`);
  if (row) return { ...row, report: null };
  // Second: a generation that is finished between the two reads is a report by then.
  const [report] = await selectReports(reader, { organizationId, id });
  if (!report) return undefined;
  const { applicationId, caseId, generatedBy, recordCount } = report;
  return {
    ...{ id, organizationId, applicationId, caseId, requestedBy: generatedBy.id, status: 'finished' },
    ...{ recordCount, recordTotal: recordCount, failure: null, report },
  };
}
