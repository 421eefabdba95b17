import { recordActivity } from '../activity-log/index.js';
import { requireCaseAccess } from '../cases/index.js';
import { sql, type Foundation, type Transaction } from '../database/index.js';
import { isLucarneError, notFound } from '../kernel/errors.js';
import { locateId } from '../kernel/ids.js';
import { actorOf, findApplicationById, type Principal } from '../organizations/index.js';
import { requireReports, type ReportAccess } from './report-access.js';
import { MEDIA_TYPES } from './report-content.js';
import { selectReports, type Report } from './report.js';

export interface DownloadReportInput {
  /** The foreignId of the application; absent for the owner, who may download every report of the organization. */
  readonly application?: string | null | undefined;
  readonly id: string;
  /** The first byte that is sent; a negative one counts from the end. Absent when none is: a look at the header. */
  readonly firstByte?: number | null | undefined;
}

/** The file of a report, as its downloader is told of it. */
export interface ReportFile {
  readonly report: Report;
  readonly fileName: string;
  readonly contentType: string;
}

/** For this long, going on with a download is the same download. */
const DOWNLOAD_HOURS = 24;

/**
 * Lets the caller have a report's file, and logs that it was downloaded: each time from its first byte on, and once
 * when it is gone on with in the middle by someone who did not begin with it in the last 24 hours.
 */
export async function downloadReport(
  foundation: Foundation,
  principal: Principal | undefined,
  input: DownloadReportInput,
): Promise<ReportFile> {
  const access = requireReports(principal, input.application, 'reports:download');
  const { organizationId, applicationId } = access;
  const id = locateId('rpt', input.id);
  const [report] = await selectReports(foundation.database, { organizationId, applicationId, id });
  if (!report) throw notFound('report');
  await requireCaseOf(foundation, principal, input.application, report);
  if (input.firstByte != null) await logDownload(foundation, access, report, input.firstByte);
  return { report, fileName: fileNameOf(report), contentType: MEDIA_TYPES[report.format] };
}

/** What an auditor may have of a case ends with the case: assignment and window are those of this moment. */
async function requireCaseOf(
  foundation: Foundation,
  principal: Principal | undefined,
  foreignId: string | null | undefined,
  { caseId }: Report,
): Promise<void> {
  if (caseId === null || foreignId == null) return;
  await requireCaseAccess(foundation, principal, foreignId, caseId, 'reports:download').catch(
    (thrown: unknown) => {
      // Asked for a report, it says nothing of a case.
      throw isLucarneError(thrown) && thrown.code === 'NOT_FOUND' ? notFound('report') : thrown;
    },
  );
}

async function logDownload(
  foundation: Foundation,
  { user, organizationId }: ReportAccess,
  report: Report,
  firstByte: number,
): Promise<void> {
  const start = firstByte < 0 ? Math.max(0, report.sizeBytes + firstByte) : firstByte;
  // Nothing is there to be sent.
  if (start >= report.sizeBytes && start > 0) return;
  await foundation.database.transaction(async (transaction) => {
    if (!(await begins(transaction, foundation, report, user.userId, start))) return;
    const { id, reportType, format, sha256 } = report;
    await recordActivity(transaction, {
      organizationId,
      eventType: 'report.downloaded',
      actor: actorOf(user),
      object: { type: 'report', report_id: id, report_type: reportType },
      details: { format, sha256 },
      application: await findApplicationById(transaction, organizationId, report.applicationId),
      caseId: report.caseId ?? undefined,
      at: foundation.clock.now(),
    });
  });
}

/** Whether a download begins here; remembers that it did. */
async function begins(
  transaction: Transaction,
  { clock }: Foundation,
  { id }: Report,
  userId: string,
  start: number,
): Promise<boolean> {
  const now = clock.now();
  const before = new Date(now.getTime() - DOWNLOAD_HOURS * 3_600_000);
  const begun = await transaction.rows(sql`
    insert into report_downloads (report_id, user_id, began_at) values (${id}, ${userId}, ${now})
    on conflict (report_id, user_id) do update set began_at = excluded.began_at
    where ${start} = 0 or report_downloads.began_at <= ${before}
    returning report_id`);
  return begun.length > 0;
}

/** In ASCII, so that it needs no encoding in a header. */
function fileNameOf({ id, reportType, format, generatedAt }: Report): string {
  const day = generatedAt.toISOString().slice(0, 10);
  return `${reportType.replaceAll('_', '-')}-${day}-${id.slice(-8)}.${format}`;
}
