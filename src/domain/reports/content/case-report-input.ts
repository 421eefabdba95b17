import type { CaseRecord } from '../../cases/index.js';
import type { Application } from '../../access/index.js';
import type { UserPrincipal } from '../../access/index.js';
import type { CaseReportType, ReportFormat } from '../report-types.js';

/** A report on the transactions of a case, as it was asked for. */
export interface CaseReportInput {
  readonly user: UserPrincipal;
  readonly application: Application;
  readonly case: CaseRecord;
  readonly reportType: CaseReportType;
  readonly format: ReportFormat;
}
