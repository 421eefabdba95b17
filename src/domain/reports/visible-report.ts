import { openCases } from '../cases/index.js';
import { holdsApplicationPermission } from '../access/index.js';
import type { Foundation } from '../../platform/database/index.js';
import type { ReportAccess } from './report-access.js';
import { hex } from '../../platform/kernel/encoding/bytes.js';
import { digestOf } from './report-digest.js';
import type { Report } from './report.js';

/**
 * A report as its readers see it. Size and digest of the file are null for those who may not download it, because they could
 * be used to test guesses of the content.
 */
export interface VisibleReport extends Omit<Report, 'sizeBytes' | keyof StoredDigest> {
  /** Hex. */
  readonly sha256: string | null;
  readonly sizeBytes: number | null;
  /** 16 bytes. */
  readonly salt: Uint8Array | null;
}

type StoredDigest = Pick<Report, 'sealedDigest' | 'sha256' | 'digestSalt'>;

/** The reports as the caller may see them now. */
export async function visibleReports(
  { database, clock, sealer }: Pick<Foundation, 'database' | 'clock' | 'sealer'>,
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
  return reports.map(({ sealedDigest, sha256, digestSalt, sizeBytes, ...report }) => {
    if (!mayDownload(report)) return { ...report, sha256: null, sizeBytes: null, salt: null };
    const { digest, salt } = digestOf(sealer, { id: report.id, sealedDigest, sha256, digestSalt });
    return {
      ...report,
      sha256: hex.encode(digest),
      salt,
      sizeBytes: report.isFileDeleted ? null : sizeBytes,
    };
  });
}
