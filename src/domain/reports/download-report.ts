import { recordActivity } from '../activity-log/index.js';
import { requireCaseAccess } from '../cases/index.js';
import { type Foundation, query, type Transaction } from '../../platform/database/index.js';
import { isLucarneError, notFound } from '../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../platform/kernel/ids.js';
import { actorOf, findApplicationById, type Principal, type UserPrincipal } from '../access/index.js';
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
  /** The byte after the last one to send. Absent for the rest of the file. */
  readonly endByte?: number | null | undefined;
}

/** The description of a report's file. */
export interface ReportFile extends ReportDigest {
  readonly report: Report;
  readonly fileName: string;
  readonly contentType: string;
}

/**
 * Gives the caller access to a report's file and logs the download. Only a range that continues the download of the same session
 * after all of its bytes is not another one: between two entries, no byte is sent twice.
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
  if (input.firstByte != null) {
    const range = rangeOf(report, input.firstByte, input.endByte ?? report.sizeBytes);
    if (range) await logDownload(foundation, access, report, digest, range);
  }
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

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The bytes that are sent; `undefined` for none. A download of an empty file sends nothing, and is one. */
function rangeOf({ sizeBytes }: Report, firstByte: number, endByte: number): ByteRange | undefined {
  const start = firstByte < 0 ? Math.max(0, sizeBytes + firstByte) : firstByte;
  const end = Math.min(sizeBytes, endByte);
  return start < end || start === 0 ? { start, end } : undefined;
}

async function logDownload(
  foundation: Foundation,
  { user, organizationId }: ReportAccess,
  report: Report,
  { digest, salt }: ReportDigest,
  range: ByteRange,
): Promise<void> {
  await foundation.database.transaction(async (transaction) => {
    if (await continues(transaction, report, user, range)) return;
    await begin(transaction, foundation, report, user, range);
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

/** Whether the range continues the download. Then these bytes are sent, whatever the client receives. */
async function continues(
  transaction: Transaction,
  { id }: Report,
  { userId, sessionId }: UserPrincipal,
  { start, end }: ByteRange,
): Promise<boolean> {
  if (start === 0) return false;
  const continued = await transaction.rows(
    query
      .updateTable('report_downloads')
      .set({ sent_to: end })
      .where('report_id', '=', id)
      .where('user_id', '=', userId)
      .where('session_id', '=', sessionId)
      .where('sent_to', '<=', start)
      .returning('report_id'),
  );
  return continued.length > 0;
}

async function begin(
  transaction: Transaction,
  { clock }: Foundation,
  { id }: Report,
  { userId, sessionId }: UserPrincipal,
  { end }: ByteRange,
): Promise<void> {
  const begun = { began_at: clock.now(), session_id: sessionId, sent_to: end };
  await transaction.rows(
    query
      .insertInto('report_downloads')
      .values({ report_id: id, user_id: userId, ...begun })
      .onConflict((conflict) => conflict.columns(['report_id', 'user_id']).doUpdateSet(begun)),
  );
}

/** In ASCII, so that it needs no encoding in a header. */
function fileNameOf({ id, reportType, format, generatedAt }: Report): string {
  const day = generatedAt.toISOString().slice(0, 10);
  return `${reportType.replaceAll('_', '-')}-${day}-${id.slice(-8)}.${format}`;
}
