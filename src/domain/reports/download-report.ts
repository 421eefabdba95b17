import { recordActivity } from '../activity-log/index.js';
import { requireCaseAccess } from '../cases/index.js';
import { type Foundation, query, type Transaction } from '../../platform/database/index.js';
import { isLucarneError, notFound } from '../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../platform/kernel/ids.js';
import { actorOf, findApplicationById, type Principal } from '../access/index.js';
import { type ReportAccess, requireReports } from './report-access.js';
import { MEDIA_TYPES } from './report-content.js';
import { refuseDeleted } from './generation/report-chunks.js';
import { type Report, selectReports } from './report.js';
import { digestOf, type ReportDigest, saltedDigest } from './report-digest.js';

export interface DownloadReportInput {
  /** The application of the report. Absent for an owner, who may download every report of the organization. */
  readonly foreignId?: string | null | undefined;
  readonly id: string;
  /** The first byte to send. A negative number counts from the end. Absent if nothing is sent (HEAD). */
  readonly firstByte?: number | null | undefined;
}

/** The description of a report's file. */
export interface ReportFile extends ReportDigest {
  readonly report: Report;
  readonly fileName: string;
  readonly contentType: string;
}

/** Resuming a download within this time does not count as another download. */
const DOWNLOAD_DURATION_MS = 24 * 60 * 60 * 1000;

/**
 * Gives the caller access to a report's file and logs the download: every download from the first byte, and a resumed
 * one if the user did not begin it in the last 24 hours.
 */
export async function downloadReport(
  foundation: Foundation,
  principal: Principal | undefined,
  input: DownloadReportInput,
): Promise<ReportFile> {
  const access = requireReports(principal, input.foreignId, 'reports:download');
  const { organizationId, applicationId } = access;
  const id = parseIdOrNotFound('rpt', input.id);
  const [report] = await selectReports(foundation.database, { organizationId, applicationId, id });
  if (!report) throw notFound('report');
  await requireCaseOf(foundation, principal, input.foreignId, report);
  if (report.isFileDeleted) refuseDeleted();
  const digest = digestOf(foundation.sealer, report);
  if (input.firstByte != null) await logDownload(foundation, access, report, digest, input.firstByte);
  return {
    report,
    ...digest,
    fileName: fileNameOf(report),
    contentType: MEDIA_TYPES[report.format],
  };
}

/** For an auditor, a report on a case needs the assignment and the open window of that case at this moment. */
async function requireCaseOf(
  foundation: Foundation,
  principal: Principal | undefined,
  foreignId: string | null | undefined,
  { caseId }: Report,
): Promise<void> {
  if (caseId === null || foreignId == null) return;
  await requireCaseAccess(foundation, principal, { foreignId, caseId }, 'reports:download').catch(
    (thrown: unknown) => {
      // The caller asked for a report.
      throw isLucarneError(thrown) && thrown.code === 'NOT_FOUND' ? notFound('report') : thrown;
    },
  );
}

async function logDownload(
  foundation: Foundation,
  { user, organizationId }: ReportAccess,
  report: Report,
  { digest, salt }: ReportDigest,
  firstByte: number,
): Promise<void> {
  const start = firstByte < 0 ? Math.max(0, report.sizeBytes + firstByte) : firstByte;
  // Nothing is sent.
  if (start >= report.sizeBytes && start > 0) return;
  await foundation.database.transaction(async (transaction) => {
    if (!(await begins(transaction, foundation, report, user.userId, start))) return;
    const { id, reportType, format } = report;
    await recordActivity(transaction, {
      organizationId,
      eventType: 'report.downloaded',
      actor: actorOf(user),
      object: { type: 'report', report_id: id, report_type: reportType },
      details: { format, salted_sha256: saltedDigest(salt, digest) },
      application: await findApplicationById(transaction, organizationId, report.applicationId),
      caseId: report.caseId ?? undefined,
      at: foundation.clock.now(),
    });
  });
}

/** Whether a new download begins here. Records its begin. */
async function begins(
  transaction: Transaction,
  { clock }: Foundation,
  { id }: Report,
  userId: Id<'usr'>,
  start: number,
): Promise<boolean> {
  const now = clock.now();
  const before = new Date(now.getTime() - DOWNLOAD_DURATION_MS);
  const begun = await transaction.rows(
    query
      .insertInto('report_downloads')
      .values({ report_id: id, user_id: userId, began_at: now })
      .onConflict((conflict) =>
        conflict
          .columns(['report_id', 'user_id'])
          .doUpdateSet((download) => ({ began_at: download.ref('excluded.began_at') }))
          .where((download) =>
            download.or([
              download(download.val(start), '=', 0),
              download('report_downloads.began_at', '<=', before),
            ]),
          ),
      )
      .returning('report_id'),
  );
  return begun.length > 0;
}

/** In ASCII, so that it needs no encoding in a header. */
function fileNameOf({ id, reportType, format, generatedAt }: Report): string {
  const day = generatedAt.toISOString().slice(0, 10);
  return `${reportType.replaceAll('_', '-')}-${day}-${id.slice(-8)}.${format}`;
}
