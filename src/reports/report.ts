import type { DisclosureFlags } from '../cases/index.js';
import { all, sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';

export const CASE_REPORT_TYPES = ['transaction_summary', 'transaction_detail'] as const;
export const REPORT_TYPES = [...CASE_REPORT_TYPES, 'activity_log'] as const;
export const REPORT_FORMATS = ['csv', 'json', 'pdf'] as const;
export type CaseReportType = (typeof CASE_REPORT_TYPES)[number];
export type ReportType = (typeof REPORT_TYPES)[number];
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What a report covers; of a report on a log, nothing but perhaps the case is set. */
export interface ReportScope {
  readonly caseId: Id<'cas'> | null;
  /** ISO 8601 dates, inclusive. */
  readonly periodFrom: string | null;
  readonly periodTo: string | null;
  /** As they were granted when the report was generated. */
  readonly disclosureFlags: DisclosureFlags | null;
  readonly assetIds: readonly Id<'ast'>[] | null;
}

export interface Report extends ReportScope {
  readonly id: Id<'rpt'>;
  /** Where it stands among the reports; says nothing else. */
  readonly sequence: number;
  readonly organizationId: Id<'org'>;
  /** `null` for a report on the whole organization. */
  readonly applicationId: Id<'app'> | null;
  readonly reportType: ReportType;
  readonly format: ReportFormat;
  readonly recordCount: number;
  /** Hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Index of its entry in the activity log; null for the moment until that is sequenced. */
  readonly logIndex: number | null;
  readonly generatedBy: { readonly id: Id<'usr'>; readonly name: string; readonly email: string };
  /** When what it shows was captured. */
  readonly generatedAt: Date;
}

export interface ReportSelection {
  readonly organizationId: Id<'org'>;
  readonly applicationId?: Id<'app'> | undefined;
  readonly id?: Id<'rpt'> | undefined;
  readonly caseId?: Id<'cas'> | null | undefined;
  readonly reportType?: ReportType | null | undefined;
  /** Only those that stand before this one. */
  readonly before?: number | undefined;
  readonly limit?: number;
}

/** Finished reports of the organization, newest first. */
export async function selectReports(reader: Reader, selection: ReportSelection): Promise<Report[]> {
  const { applicationId, id, caseId, reportType, before, limit = 1 } = selection;
  return reader.rows(sql<Report>`
    select reports.id, reports.sequence, reports.organization_id as "organizationId",
      reports.application_id as "applicationId", reports.report_type as "reportType", reports.format,
      reports.case_id as "caseId", reports.period_from::text as "periodFrom", reports.period_to::text as "periodTo",
      reports.disclosure_flags as "disclosureFlags", reports.asset_ids as "assetIds",
      reports.record_count as "recordCount", encode(reports.sha256, 'hex') as sha256,
      report_files.size_bytes as "sizeBytes", activity_entries.log_index as "logIndex",
      jsonb_build_object('id', users.id, 'name', users.name, 'email', users.email) as "generatedBy",
      reports.generated_at as "generatedAt"
    from reports
    join report_files using (organization_id, sha256)
    join activity_entries on activity_entries.id = reports.log_entry_id
    join users on users.id = reports.generated_by
    where ${all([
      sql`reports.organization_id = ${selection.organizationId}`,
      applicationId === undefined ? undefined : sql`reports.application_id = ${applicationId}`,
      id === undefined ? undefined : sql`reports.id = ${id}`,
      caseId == null ? undefined : sql`reports.case_id = ${caseId}`,
      reportType == null ? undefined : sql`reports.report_type = ${reportType}`,
      before === undefined ? undefined : sql`reports.sequence < ${before}`,
    ])}
    order by reports.sequence desc limit ${limit}`);
}
