import { jsonObjectFrom } from 'kysely/helpers/postgres';
import { aliasedColumnsOf, query, type Reader, type RowOf, sql } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Person } from '../access/index.js';
import { ReportEntity } from './report.entity.js';
import type { ReportType } from './report-types.js';

/** The scope of a report. A report on a log has at most a case. */
export type ReportScope = Pick<
  RowOf<typeof ReportEntity>,
  'caseId' | 'periodFrom' | 'periodTo' | 'disclosureFlags' | 'assetIds'
>;

export interface Report extends Omit<RowOf<typeof ReportEntity>, 'generatedBy' | 'logEntryId' | 'contentId'> {
  /** 0 if the file was deleted. */
  readonly sizeBytes: number;
  /** Whether the file was deleted at the end of its retention. */
  readonly isFileDeleted: boolean;
  /** Index of its entry in the activity log. Null until the entry is sequenced. */
  readonly logIndex: number | null;
  readonly generatedBy: Person;
}

export interface ReportSelection {
  readonly organizationId: Id<'org'>;
  readonly applicationId?: Id<'app'> | undefined;
  /** Only reports of one of these applications. */
  readonly applicationIds?: readonly Id<'app'>[] | undefined;
  readonly id?: Id<'rpt'> | undefined;
  readonly caseId?: Id<'cas'> | null | undefined;
  readonly reportType?: ReportType | null | undefined;
  /** Only reports before this `sequence`. */
  readonly before?: number | undefined;
  readonly limit?: number;
}

/** Finished reports of the organization, newest first. */
export async function selectReports(reader: Reader, selection: ReportSelection): Promise<Report[]> {
  const {
    organizationId,
    applicationId,
    applicationIds,
    id,
    caseId,
    reportType,
    before,
    limit = 1,
  } = selection;
  const rows = await reader.rows(
    query
      .selectFrom('reports')
      .leftJoin('report_files', 'report_files.content_id', 'reports.content_id')
      .innerJoin('activity_entries', 'activity_entries.id', 'reports.log_entry_id')
      .select(aliasedColumnsOf('reports', ReportEntity, PLAIN))
      .select((reports) => [
        reports.cast<string | null>('reports.period_from', 'text').as('periodFrom'),
        reports.cast<string | null>('reports.period_to', 'text').as('periodTo'),
        reports.fn.coalesce('report_files.size_bytes', sql<number>`0`).as('sizeBytes'),
        sql<boolean>`${reports.ref('report_files.content_id')} is null`.as('isFileDeleted'),
        'activity_entries.log_index as logIndex',
        jsonObjectFrom(
          query
            .selectFrom('users')
            .select(['users.id', 'users.name', 'users.email'])
            .where(({ eb }) => eb('users.id', '=', reports.ref('reports.generated_by'))),
        )
          .$notNull()
          .as('generatedBy'),
      ])
      .where('reports.organization_id', '=', organizationId)
      .$if(applicationId !== undefined, (reports) =>
        reports.where('reports.application_id', '=', applicationId!),
      )
      .$if(applicationIds !== undefined, (reports) =>
        reports.where('reports.application_id', 'in', applicationIds!),
      )
      .$if(id !== undefined, (reports) => reports.where('reports.id', '=', id!))
      .$if(caseId != null, (reports) => reports.where('reports.case_id', '=', caseId!))
      .$if(reportType != null, (reports) => reports.where('reports.report_type', '=', reportType!))
      .$if(before !== undefined, (reports) => reports.where('reports.sequence', '<', before!))
      .orderBy('reports.sequence', 'desc')
      .limit(limit),
  );
  return rows;
}

// The driver would read a date in the machine's time zone.
const PLAIN = [
  ...(['id', 'sequence', 'organizationId', 'applicationId', 'caseId', 'reportType', 'format'] as const),
  ...(['disclosureFlags', 'assetIds', 'recordCount', 'generatedAt'] as const),
  ...(['sealedDigest', 'sha256', 'digestSalt'] as const),
] as const;
