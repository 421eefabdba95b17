import type { LogScope } from '../../activity-log/index.js';
import { requireCaseAccess, requireCaseAccessStill } from '../../cases/index.js';
import type { Foundation, Reader } from '../../../platform/database/index.js';
import { invalidMember } from '../../../platform/kernel/errors.js';
import {
  findApplicationById,
  type Principal,
  requireApplicationPermission,
  requireOwnerPermission,
  requirePermissionStill,
  type UserPrincipal,
} from '../../access/index.js';
import { captureLog } from '../content/log-report-content.js';
import { generateReport, type GenerationInput } from './generate-report.js';
import type { ReportGeneration } from './generation-rows.js';
import { parseFormat } from '../report-input.js';
import type { Reporting } from './reporting.js';

export interface GenerateLogReportInput extends GenerationInput {
  /** The application of the log. Absent for the whole organization. */
  readonly foreignId?: string | null | undefined;
  /** The case of the log, which must belong to the application. */
  readonly caseId?: string | null | undefined;
  /** The default is json, which includes the proofs. */
  readonly format?: string | null | undefined;
}

/** Begins the export of a log in its current state: the organization's, or that of one application or case. */
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
      ...{ user, application, format, reportType: 'activity_log' },
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

/** A report that has begun is finished although its session ends. */
const whateverSession = ({ organizationId, userId }: UserPrincipal) => ({
  ...{ organizationId, userId },
  sessionId: null,
});

async function requireLogToExport(
  foundation: Foundation,
  principal: Principal | undefined,
  { foreignId, caseId }: GenerateLogReportInput,
): Promise<LogToExport> {
  if (foreignId == null) {
    const user = requireOwnerPermission(principal, 'reports:create');
    const person = whateverSession(user);
    if (caseId != null) throw invalidMember('caseId', 'needs foreignId, the application of the case');
    return {
      user,
      scope: { organizationId: user.organizationId },
      requireRight: (reader) => requirePermissionStill(reader, person, null, 'owner', 'reports:create'),
    };
  }
  const { user, applicationId } = requireApplicationPermission(
    principal,
    foreignId,
    'auditor',
    'reports:create',
  );
  const { organizationId } = user;
  const person = whateverSession(user);
  const mayCreate = (reader: Reader) =>
    requirePermissionStill(reader, person, applicationId, 'auditor', 'reports:create');
  if (caseId == null) {
    requireApplicationPermission(principal, foreignId, 'common', 'logs:view_activity');
    return {
      user,
      scope: { organizationId, applicationId },
      async requireRight(reader) {
        await mayCreate(reader);
        await requirePermissionStill(reader, person, applicationId, 'common', 'logs:view_activity');
      },
    };
  }
  const access = await requireCaseAccess(
    foundation,
    principal,
    { foreignId, caseId },
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
