import type { CaseRecord } from '../../cases/index.js';
import type { Application } from '../../access/index.js';
import type { UserPrincipal } from '../../access/index.js';
import type { CaseReportType, ReportFormat } from '../report-types.js';

/** A requested report on the transactions of a case. */
export interface CaseReportInput {
  readonly user: UserPrincipal;
  readonly application: Application;
  readonly case: CaseRecord;
  readonly reportType: CaseReportType;
  readonly format: ReportFormat;
}
