import { openCases } from '../cases/index.js';
import { holdsApplicationPermission } from '../access/index.js';
import type { Foundation } from '../../platform/database/index.js';
import type { ReportAccess } from './report-access.js';
import type { Report } from './report.js';

/**
 * A report as its readers see it. What tells about the content of the file is null for those who may not download it:
 * with the digest, or the size, a reader could try contents.
 */
export interface VisibleReport extends Omit<Report, 'sha256' | 'sizeBytes' | 'digestSalt'> {
  readonly sha256: string | null;
  readonly sizeBytes: number | null;
  readonly digestSalt: Uint8Array | null;
}

/** The reports as the caller may see them now. */
export async function visibleReports(
  { database, clock }: Pick<Foundation, 'database' | 'clock'>,
  { user, applicationId, organizationId }: ReportAccess,
  reports: readonly Report[],
): Promise<VisibleReport[]> {
  const maySome =
    applicationId === undefined
      ? user.grants.owner.has('reports:download')
      : holdsApplicationPermission(user, applicationId, 'auditor', 'reports:download');
  const caseIds = new Set(reports.flatMap(({ caseId }) => caseId ?? []));
  const open =
    maySome && applicationId !== undefined && caseIds.size > 0
      ? await openCases(database, {
          ...{ organizationId, applicationId, auditorId: user.userId },
          caseIds: [...caseIds],
          at: clock.now(),
        })
      : new Set();
  const mayDownload = ({ caseId }: Pick<Report, 'caseId'>) =>
    maySome && (applicationId === undefined || caseId === null || open.has(caseId));
  return reports.map((report) =>
    mayDownload(report)
      ? { ...report, sizeBytes: report.isFileDeleted ? null : report.sizeBytes }
      : { ...report, sha256: null, sizeBytes: null, digestSalt: null },
  );
}
