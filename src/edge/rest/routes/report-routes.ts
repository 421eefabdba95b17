import { reportExamples as examples } from '../examples/report-examples.js';
import type { ContentAnswer, FileAnswer, FileRouteAnswer, Route } from '../route.js';
import { ApplicationParams } from '../schemas/activity-log.js';
import {
  ApplicationReportParams,
  CaseLogParams,
  CaseReportSchema,
  LogReportSchema,
  ReportFileSchema,
  ReportListQuery,
  ReportListSchema,
  ReportParams,
  ReportSchema,
} from '../schemas/report.js';

interface ReportPageData {
  readonly page: {
    readonly reports: readonly unknown[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

interface GenerationData {
  readonly generation: { readonly report: unknown };
}

const made = {
  status: 201,
  description: 'The report. Its file is at its download route.',
  schema: ReportSchema,
  take: ({ generation }: GenerationData) => generation.report,
} as const satisfies Partial<ContentAnswer>;

const list = {
  query: ReportListQuery,
  argumentNames: { first: 'limit', after: 'cursor', reportType: 'report_type', caseId: 'case_id' },
  answer: {
    status: 200,
    description: 'A page of reports, newest first.',
    schema: ReportListSchema,
    examples: examples.reports,
    nextCursor: ({ page: { pageInfo } }: ReportPageData) =>
      pageInfo.hasNextPage ? pageInfo.endCursor : null,
    take: ({ page }: ReportPageData) => page.reports,
  } satisfies ContentAnswer,
} as const;

const file = {
  status: 200,
  description: 'The whole file.',
  contentTypes: ['text/csv', 'application/json', 'application/pdf'],
  schema: ReportFileSchema,
  examples: examples.reportFile,
  file: (data: { readonly file: FileAnswer }) => data.file,
} as const satisfies FileRouteAnswer;

const logBody = {
  schema: LogReportSchema,
  as: 'variables',
  optional: true,
  examples: examples.createLogReport,
} as const;

const BAD_QUERY =
  'A query parameter is unknown, given twice or malformed, or the cursor belongs to other filters.';
const BAD_FORMAT = '`format` is unknown, or is `pdf` for more than 50,000 records.';
const DOWNLOADS = 'You have 16 downloads in progress. Try again when one of them has ended.';
const TOO_MANY =
  'You have two reports in progress, or your organization has four. Try again after `Retry-After`.';
const ONE_RANGE = 'The request may have one range in the header `Range`. ';
const LOGGED =
  'The download is logged when it begins. A range that continues it in the same session, after all bytes of it, is the ' +
  'same download. ';
const FILE_DELETED = 'The file was deleted at the end of its retention period. The report itself is kept.';

export const reportRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/applications/{foreignId}/case-reports',
    document: 'create-case-report',
    needs: ['auditor reports:create'],
    credentials: 'session',
    tag: 'Reports',
    summary: 'Generate a report on a case',
    description:
      'Generates a report on the current transactions of the case, masked by its flags, and answers when the ' +
      'report is finished. Needs `reports:create` in the bucket `auditor`, an assignment to the case, and an ' +
      'active case.',
    params: ApplicationParams,
    body: { schema: CaseReportSchema, as: 'variables', examples: examples.createCaseReport },
    argumentNames: { caseId: 'case_id', reportType: 'report_type' },
    answer: { ...made, examples: examples.caseReport },
    errors: {
      BAD_USER_INPUT: `A member is missing, unknown or malformed. ${BAD_FORMAT}`,
      FORBIDDEN: 'You lack `reports:create` for this application, or the application does not exist.',
      NOT_FOUND: 'There is no such active case that is assigned to you.',
      CONFLICT:
        'Records of the case are in cold storage (`records_archived`), or an owner took an asset of the case out of ' +
        'the application meanwhile.',
      TOO_MANY_REQUESTS: TOO_MANY,
    },
  },
  {
    method: 'GET',
    path: '/api/applications/{foreignId}/reports',
    document: 'list-application-reports',
    needs: ['auditor reports:list', 'administrator reports:list'],
    credentials: 'session',
    tag: 'Reports',
    summary: 'List the reports of an application',
    description:
      'Lists the reports of the application, newest first. Needs `reports:list` in the bucket `auditor` or ' +
      '`administrator`.',
    params: ApplicationParams,
    ...list,
    errors: {
      BAD_USER_INPUT: BAD_QUERY,
      FORBIDDEN: 'You lack `reports:list` for this application, or the application does not exist.',
    },
  },
  {
    method: 'GET',
    path: '/api/applications/{foreignId}/reports/{reportId}/download',
    document: 'download-application-report',
    needs: ['auditor reports:download'],
    credentials: 'session',
    tag: 'Reports',
    summary: 'Download a report of an application',
    description:
      `Sends the file. ${ONE_RANGE}${LOGGED}Needs \`reports:download\` in the bucket \`auditor\` and, for a ` +
      'report on a case, an assignment to the case and an active case at that moment.',
    params: ApplicationReportParams,
    answer: file,
    errors: {
      FORBIDDEN: 'You lack `reports:download` for this application, or the application does not exist.',
      NOT_FOUND: 'The application has no such report, or its case is not active or not assigned to you.',
      CONFLICT: FILE_DELETED,
      TOO_MANY_REQUESTS: DOWNLOADS,
    },
  },
  {
    method: 'GET',
    path: '/api/reports',
    document: 'list-reports',
    needs: ['owner reports:list'],
    credentials: 'session',
    tag: 'Reports',
    summary: 'List the reports of the organization',
    description:
      'Lists the reports on all applications and on the whole organization, newest first. Needs the owner ' +
      'permission `reports:list`.',
    ...list,
    errors: { BAD_USER_INPUT: BAD_QUERY, FORBIDDEN: 'You lack the owner permission `reports:list`.' },
  },
  {
    method: 'GET',
    path: '/api/reports/{reportId}/download',
    document: 'download-report',
    needs: ['owner reports:download'],
    credentials: 'session',
    tag: 'Reports',
    summary: 'Download a report of the organization',
    description: `Sends the file. ${ONE_RANGE}${LOGGED}Needs the owner permission \`reports:download\`.`,
    params: ReportParams,
    answer: file,
    errors: {
      FORBIDDEN: 'You lack the owner permission `reports:download`.',
      NOT_FOUND: 'Your organization has no such report.',
      CONFLICT: FILE_DELETED,
      TOO_MANY_REQUESTS: DOWNLOADS,
    },
  },
  {
    method: 'POST',
    path: '/api/auditors-log/reports',
    document: 'create-log-report',
    needs: ['owner reports:create'],
    credentials: 'session',
    tag: 'Reports',
    summary: 'Export the log of the organization',
    description:
      'Generates a report that contains the log as it is now, and answers when the report is finished. Needs ' +
      'the owner permission `reports:create`.',
    body: logBody,
    answer: { ...made, examples: examples.organizationReport },
    errors: {
      BAD_USER_INPUT: BAD_FORMAT,
      FORBIDDEN: 'You lack the owner permission `reports:create`.',
      TOO_MANY_REQUESTS: TOO_MANY,
    },
  },
  {
    method: 'POST',
    path: '/api/applications/{foreignId}/auditors-log/reports',
    document: 'create-application-log-report',
    needs: ['auditor reports:create'],
    alsoNeeds: ['common logs:view_activity'],
    credentials: 'session',
    tag: 'Reports',
    summary: 'Export the log of an application',
    description:
      'Generates a report that contains the log of the application as it is now, and answers when the report ' +
      'is finished. Needs `reports:create` in the bucket `auditor` and `logs:view_activity` in `common`.',
    params: ApplicationParams,
    body: logBody,
    answer: { ...made, examples: examples.logReport },
    errors: {
      BAD_USER_INPUT: BAD_FORMAT,
      FORBIDDEN: 'You lack one of the permissions for this application, or the application does not exist.',
      TOO_MANY_REQUESTS: TOO_MANY,
    },
  },
  {
    method: 'POST',
    path: '/api/applications/{foreignId}/cases/{caseId}/auditors-log/reports',
    document: 'create-case-log-report',
    needs: ['auditor reports:create'],
    alsoNeeds: ['auditor reports:view_transactions'],
    credentials: 'session',
    tag: 'Reports',
    summary: 'Export the log of a case',
    description:
      'Generates a report that contains the log of the case as it is now, and answers when the report is ' +
      'finished. Needs `reports:create` and `reports:view_transactions` in the bucket `auditor`, an assignment ' +
      'to the case, and an active case.',
    params: CaseLogParams,
    body: logBody,
    answer: { ...made, examples: examples.logReport },
    errors: {
      BAD_USER_INPUT: BAD_FORMAT,
      FORBIDDEN: 'You lack one of the permissions for this application, or the application does not exist.',
      NOT_FOUND: 'There is no such active case that is assigned to you.',
      TOO_MANY_REQUESTS: TOO_MANY,
    },
  },
];
