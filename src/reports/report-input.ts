import { badUserInput } from '../kernel/errors.js';
import {
  CASE_REPORT_TYPES,
  REPORT_FORMATS,
  REPORT_TYPES,
  type CaseReportType,
  type ReportFormat,
  type ReportType,
} from './report.js';

export const parseFormat = (value: string | null | undefined, otherwise: ReportFormat): ReportFormat =>
  value == null ? otherwise : parseOneOf('format', REPORT_FORMATS, value);

export const parseCaseReportType = (value: string): CaseReportType =>
  parseOneOf('reportType', CASE_REPORT_TYPES, value);

export const parseReportType = (value: string | null | undefined): ReportType | null =>
  value == null ? null : parseOneOf('reportType', REPORT_TYPES, value);

function parseOneOf<Value extends string>(member: string, known: readonly Value[], value: string): Value {
  const found = known.find((each) => each === value);
  if (found === undefined) throw badUserInput(`${member} must be one of ${known.join(', ')}.`);
  return found;
}
