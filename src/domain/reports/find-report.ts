import type { Foundation } from '../../platform/database/index.js';
import { notFound } from '../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../platform/kernel/ids.js';
import type { Principal } from '../access/index.js';
import { requireSomeReportList } from './report-access.js';
import { selectReports } from './report.js';
import { type VisibleReport, visibleReports } from './visible-report.js';

/** The report, if the caller may list it; otherwise `NOT_FOUND`. */
export async function findReport(
  foundation: Foundation,
  principal: Principal | undefined,
  reportId: string,
): Promise<VisibleReport> {
  const { user, organizationId, applicationIds } = requireSomeReportList(principal);
  const id = parseIdOrNotFound('rpt', reportId);
  const [found] = await selectReports(foundation.database, { organizationId, applicationIds, id });
  if (!found) throw notFound('report');
  const applicationId = applicationIds && found.applicationId!;
  const [report] = await visibleReports(foundation, { user, organizationId, applicationId }, [found]);
  return report!;
}
