import { requireCaseAccess, requireCaseAccessStill } from '../cases/index.js';
import { parseId } from '../kernel/ids.js';
import { findApplicationById, requireApplicationPermission, type Principal } from '../organizations/index.js';
import { captureCase } from './case-report-content.js';
import { generateReport, type GenerationInput } from './generate-report.js';
import type { ReportGeneration } from './generation-rows.js';
import { parseCaseReportType, parseFormat } from './report-input.js';
import type { Reporting } from './reporting.js';

export interface GenerateCaseReportInput extends GenerationInput {
  readonly application: string;
  readonly caseId: string;
  readonly reportType: string;
  /** Csv when absent. */
  readonly format?: string | null | undefined;
}

/** Begins a report on the transactions of a case that the caller is assigned to, inside its window. */
export async function generateCaseReport(
  reporting: Reporting,
  principal: Principal | undefined,
  input: GenerateCaseReportInput,
): Promise<ReportGeneration> {
  const { foundation } = reporting;
  requireApplicationPermission(principal, input.application, 'auditor', 'reports:create');
  const id = parseId('cas', 'caseId', input.caseId);
  const access = await requireCaseAccess(foundation, principal, input.application, id, 'reports:create');
  const { user, applicationId, case: of } = access;
  const reportType = parseCaseReportType(input.reportType);
  const format = parseFormat(input.format, 'csv');
  const application = await findApplicationById(foundation.database, user.organizationId, applicationId);
  if (!application) throw new Error('A case has no application.');
  const { id: caseId, periodFrom, periodTo, disclosureFlags, assetIds } = of;
  return generateReport(
    reporting,
    {
      ...{ user, application, reportType, format, eventType: 'report.generated' },
      scope: { caseId, periodFrom, periodTo, disclosureFlags, assetIds },
      requireRight: (reader) => requireCaseAccessStill(reader, access, foundation.clock.now()),
      capture: (making) =>
        captureCase(reporting, { user, application, case: of, reportType, format }, making),
    },
    input,
  );
}
