import type { LogScope } from '../activity-log/index.js';
import { requireCaseAccess, requireCaseAccessStill } from '../cases/index.js';
import type { Foundation, Reader } from '../database/index.js';
import { badUserInput } from '../kernel/errors.js';
import {
  findApplicationById,
  requireApplicationPermission,
  requireOwnerPermission,
  requirePermissionStill,
  type Principal,
  type UserPrincipal,
} from '../organizations/index.js';
import { captureLog } from './log-report-content.js';
import { generateReport, type GenerationInput } from './generate-report.js';
import type { ReportGeneration } from './generation-rows.js';
import { parseFormat } from './report-input.js';
import type { Reporting } from './reporting.js';

export interface GenerateLogReportInput extends GenerationInput {
  /** The foreignId of the application whose log is exported; the whole organization's when absent. */
  readonly application?: string | null | undefined;
  /** The case of the application whose log is exported. */
  readonly caseId?: string | null | undefined;
  /** Json, which holds the proofs, when absent. */
  readonly format?: string | null | undefined;
}

/** Begins the export of a log as it is now: the organization's, or that of one application or case. */
export async function generateLogReport(
  reporting: Reporting,
  principal: Principal | undefined,
  input: GenerateLogReportInput,
): Promise<ReportGeneration> {
  const { foundation } = reporting;
  const { user, scope, requireRight } = await requireLogToExport(foundation, principal, input);
  const { organizationId, applicationId = null, caseId = null } = scope;
  const format = parseFormat(input.format, 'json');
  const application = await findApplicationById(foundation.database, organizationId, applicationId);
  return generateReport(
    reporting,
    {
      ...{ user, application, format, reportType: 'activity_log', eventType: 'log.exported' },
      scope: { caseId, periodFrom: null, periodTo: null, disclosureFlags: null, assetIds: null },
      requireRight,
      capture: (making) =>
        captureLog(
          foundation,
          { user, application, scope, format, publicHost: reporting.publicHost() },
          making,
        ),
    },
    input,
  );
}

interface LogToExport {
  readonly user: UserPrincipal;
  readonly scope: LogScope;
  /** Throws unless the caller may still export it. */
  readonly requireRight: (reader: Reader) => Promise<void>;
}

async function requireLogToExport(
  foundation: Foundation,
  principal: Principal | undefined,
  { application, caseId }: GenerateLogReportInput,
): Promise<LogToExport> {
  if (application == null) {
    const user = requireOwnerPermission(principal, 'reports:create');
    if (caseId != null) throw badUserInput('caseId needs the application of the case.');
    return {
      user,
      scope: { organizationId: user.organizationId },
      requireRight: (reader) => requirePermissionStill(reader, user, null, 'owner', 'reports:create'),
    };
  }
  const { user, applicationId } = requireApplicationPermission(
    principal,
    application,
    'auditor',
    'reports:create',
  );
  const { organizationId } = user;
  const mayCreate = (reader: Reader) =>
    requirePermissionStill(reader, user, applicationId, 'auditor', 'reports:create');
  if (caseId == null) {
    requireApplicationPermission(principal, application, 'common', 'logs:view_activity');
    return {
      user,
      scope: { organizationId, applicationId },
      async requireRight(reader) {
        await mayCreate(reader);
        await requirePermissionStill(reader, user, applicationId, 'common', 'logs:view_activity');
      },
    };
  }
  const access = await requireCaseAccess(
    foundation,
    principal,
    application,
    caseId,
    'reports:view_transactions',
  );
  return {
    user,
    scope: { organizationId, applicationId, caseId: access.case.id },
    async requireRight(reader) {
      await mayCreate(reader);
      await requireCaseAccessStill(reader, access, foundation.clock.now());
    },
  };
}
