import { ReportEntity } from './report.entity.js';
import { reportProgressResolver, ReportResolver } from './report.resolver.js';
import type { Reporting } from './reporting.js';

export { type ReportMetrics } from './report-metrics.js';
export { createReporting, type Reporting } from './reporting.js';
export { createReportSweeper, type ReportSweeper } from './report-sweeper.js';
export { readReportBytes } from './report-chunks.js';

export const reportEntities = [ReportEntity] as const;

/** The room's resolvers, ready to serve. */
export function reportResolvers(reporting: Reporting): object[] {
  return [new ReportResolver(reporting), reportProgressResolver(reporting)];
}
