import type { Foundation } from '../../platform/database/index.js';
import { type Connection, connectionOf } from '../../platform/kernel/paging/connection.type.js';
import { parseId } from '../../platform/kernel/ids.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../platform/kernel/paging/paging.js';
import type { Principal } from '../access/index.js';
import { requireReportList } from './report-access.js';
import { parseReportType } from './report-input.js';
import { selectReports } from './report.js';
import { type VisibleReport, visibleReports } from './visible-report.js';

export interface ListReportsInput extends PageInput {
  /** The application of the reports. Absent for the whole organization. */
  readonly foreignId?: string | null | undefined;
  readonly reportType?: string | null | undefined;
  readonly caseId?: string | null | undefined;
}

/** The reports of an organization or of one of its applications, newest first. */
export async function listReports(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListReportsInput,
): Promise<Connection<VisibleReport>> {
  const access = requireReportList(principal, input.foreignId);
  const { organizationId, applicationId } = access;
  const scope = { organizationId, applicationId: applicationId ?? null };
  const {
    cursors,
    limit,
    after: before,
    ...filters
  } = parsePage(
    input,
    'number',
    // Sealed, because the sequence counts the reports of all organizations.
    (filters) => cursorsFor('reports', { ...scope, ...filters }, foundation.sealer),
    {
      reportType: () => parseReportType(input.reportType),
      caseId: () => (input.caseId == null ? null : parseId('cas', 'caseId', input.caseId)),
    },
  );
  const rows = await selectReports(foundation.database, {
    ...{ organizationId, applicationId, ...filters, before, limit: limit + 1 },
  });
  const page = pageOf(rows, limit);
  const visible = await visibleReports(foundation, access, page.rows);
  return connectionOf({ ...page, rows: visible }, ({ sequence }) => cursors.encode(sequence));
}
