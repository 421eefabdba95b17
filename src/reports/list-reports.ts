import type { Foundation } from '../database/index.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { parseId } from '../kernel/ids.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import type { Principal } from '../organizations/index.js';
import { requireReportList } from './report-access.js';
import { parseReportType } from './report-input.js';
import { selectReports, type Report } from './report.js';

export interface ListReportsInput {
  /** The foreignId of the application whose reports are asked for; the whole organization's when absent. */
  readonly application?: string | null | undefined;
  readonly reportType?: string | null | undefined;
  readonly caseId?: string | null | undefined;
  /** 1 to 200; 50 when absent. */
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** The reports of an organization or of one of its applications, newest first. */
export async function listReports(
  { database }: Foundation,
  principal: Principal | undefined,
  input: ListReportsInput,
): Promise<Connection<Report>> {
  const { organizationId, applicationId } = requireReportList(principal, input.application);
  const reportType = parseReportType(input.reportType);
  const caseId = input.caseId == null ? null : parseId('cas', 'caseId', input.caseId);
  const limit = parseLimit('first', input.first);
  const cursors = cursorsFor('reports', {
    ...{ organizationId, applicationId: applicationId ?? null, reportType, caseId },
  });
  const before = input.after == null ? undefined : cursors.decode('number', 'after', input.after);
  const rows = await selectReports(database, {
    ...{ organizationId, applicationId, reportType, caseId, before, limit: limit + 1 },
  });
  return connectionOf(pageOf(rows, limit), ({ sequence }) => cursors.encode(sequence));
}
