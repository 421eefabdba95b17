import { parseOneOf, parseOptionalOneOf } from '../../platform/kernel/enums/enums.js';
import { CASE_REPORT_TYPES, REPORT_FORMATS, REPORT_TYPES, type ReportFormat } from './report-types.js';

export const parseFormat = (value: string | null | undefined, defaultFormat: ReportFormat): ReportFormat =>
  parseOptionalOneOf('format', REPORT_FORMATS, value) ?? defaultFormat;

export const parseCaseReportType = (value: string) => parseOneOf('reportType', CASE_REPORT_TYPES, value);

export const parseReportType = (value: string | null | undefined) =>
  parseOptionalOneOf('reportType', REPORT_TYPES, value) ?? null;
