import { requireCaseAccess, requireCaseAccessStill } from '../../cases/index.js';
import { parseMembers } from '../../../platform/kernel/errors.js';
import { parseId } from '../../../platform/kernel/ids.js';
import { findApplicationById, type Principal, requireApplicationPermission } from '../../access/index.js';
import { captureCase } from '../content/case-report-content.js';
import { generateReport, type GenerationInput } from './generate-report.js';
import type { ReportGeneration } from './generation-rows.js';
import { parseCaseReportType, parseFormat } from '../report-input.js';
import type { Reporting } from './reporting.js';

export interface GenerateCaseReportInput extends GenerationInput {
  readonly foreignId: string;
  readonly caseId: string;
  readonly reportType: string;
  /** The default is csv. */
  readonly format?: string | null | undefined;
}

/** Begins a report on the transactions of a case that the caller is assigned to, inside its window. */
export async function generateCaseReport(
  reporting: Reporting,
  principal: Principal | undefined,
  input: GenerateCaseReportInput,
): Promise<ReportGeneration> {
  const { foundation } = reporting;
  requireApplicationPermission(principal, input.foreignId, 'auditor', 'reports:create');
  const caseId = parseId('cas', 'caseId', input.caseId);
  const access = await requireCaseAccess(
    foundation,
    principal,
    { foreignId: input.foreignId, caseId },
    'reports:create',
  );
  const { user, applicationId, case: record } = access;
  const { reportType, format } = parseMembers({
    reportType: () => parseCaseReportType(input.reportType),
    format: () => parseFormat(input.format, 'csv'),
  });
  const application = await findApplicationById(foundation.database, user.organizationId, applicationId);
  if (!application) throw new Error('A case has no application.');
  const { periodFrom, periodTo, disclosureFlags, assetIds } = record;
  return generateReport(
    reporting,
    {
      ...{ user, application, reportType, format },
      scope: { caseId, periodFrom, periodTo, disclosureFlags, assetIds },
      requireRight: (reader) => requireCaseAccessStill(reader, access, foundation.clock.now()),
      capture: (making) =>
        captureCase(reporting, { user, application, case: record, reportType, format }, making),
    },
    input,
  );
}
