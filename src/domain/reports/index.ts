import {
  ReportChunkEntity,
  ReportDownloadEntity,
  ReportEntity,
  ReportFileEntity,
  ReportGenerationEntity,
} from './report.entity.js';
import { ReportGenerationResolver, reportProgressResolver, ReportResolver } from './report.resolver.js';
import type { Reporting } from './generation/reporting.js';

export { SEALED_CHUNKS } from './generation/report-chunks.js';
export { createReportMetrics } from './generation/report-metrics.js';
export { createReporting, type Reporting } from './generation/reporting.js';
export { createReportSweeper } from './generation/report-sweeper.js';
export { readReportBytes } from './generation/report-chunks.js';
export { hasDigestsInClear, SEALED_DIGESTS, sealDigestsInClear } from './report-digest.js';
export { retainedFiles } from './retained-files.js';

export const reportEntities = [
  ReportEntity,
  ReportFileEntity,
  ReportChunkEntity,
  ReportGenerationEntity,
  ReportDownloadEntity,
] as const;

/** The resolvers of this room. */
export function reportResolvers(reporting: Reporting): object[] {
  return [
    new ReportResolver(reporting),
    new ReportGenerationResolver(reporting),
    reportProgressResolver(reporting),
  ];
}
