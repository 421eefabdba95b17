import { Type } from 'typebox';
import { DisclosureFlagsSchema, PersonSchema } from './case.js';
import { closed, date, identifier, named, oneOf, orNull, text, timestamp } from './common.js';

const TYPES = ['transaction_summary', 'transaction_detail', 'activity_log'];
const CASE_TYPES = ['transaction_summary', 'transaction_detail'];
const FORMATS = ['csv', 'json', 'pdf'];

const ReportMetadataSchema = named(
  'ReportMetadata',
  'What a report covers, and a description of its file.',
  Type.Object({
    case_id: orNull(identifier('cas', 'case')),
    period_from: orNull(date('The first day covered. Null for a report on an activity log.')),
    period_to: orNull(date('The last day covered, to its end. Null for a report on an activity log.')),
    disclosure_flags: orNull(DisclosureFlagsSchema),
    asset_ids: orNull(
      Type.Array(identifier('ast', 'asset'), {
        description: 'The assets covered. Null for a report on an activity log.',
      }),
    ),
    record_count: Type.Integer({
      minimum: 0,
      description: 'The number of records that the report shows or sums.',
    }),
    sha256: orNull(
      Type.String({ description: 'The SHA-256 of the file in hex. Null if you may not download the file.' }),
    ),
    size_bytes: orNull(
      Type.Integer({
        minimum: 0,
        description:
          'The size of the file in bytes. Null if you may not download the file, or if it was deleted.',
      }),
    ),
    log_index: orNull(
      Type.Integer({
        minimum: 0,
        description:
          'The index in the activity log of the entry that records the report. Null until the entry is sequenced, ' +
          'which takes about a second.',
      }),
    ),
  }),
);

export const ReportSchema = named(
  'Report',
  'A finished report. The report and its file never change.',
  Type.Object({
    id: identifier('rpt', 'report'),
    organization_id: identifier('org', 'organization'),
    application_id: orNull(
      Type.String({
        description: 'Id of the application; null for a report on the whole organization.',
      }),
    ),
    report_type: oneOf(TYPES, 'The content of the report.'),
    format: oneOf(FORMATS, 'The format of the file.'),
    metadata: ReportMetadataSchema,
    generated_by: PersonSchema,
    generated_at: timestamp('When the data of the report was read.'),
  }),
);

export const ReportListSchema = Type.Array(ReportSchema, { description: 'Reports, newest first.' });

export const ReportListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        default: 50,
        description: 'Maximum number of reports to return.',
      }),
    ),
    cursor: Type.Optional(
      text(512, 'The cursor in the `Link` header of the previous page. Use the same filters.'),
    ),
    report_type: Type.Optional(oneOf(TYPES, 'Only reports of this type.')),
    case_id: Type.Optional(text(64, 'Only reports on this case (`cas_…`).')),
  },
  closed,
);

export const CaseReportSchema = Type.Object(
  {
    case_id: text(64, 'Id of the case (`cas_…`).'),
    report_type: oneOf(CASE_TYPES, 'What the report shows.'),
    format: Type.Optional(oneOf(FORMATS, 'The format of the file. The default is `csv`.')),
  },
  closed,
);

export const LogReportSchema = Type.Object(
  {
    format: Type.Optional(
      oneOf(FORMATS, 'The format of the file. The default is `json`, which includes the proofs.'),
    ),
  },
  closed,
);

export const ReportParams = Type.Object(
  { reportId: Type.String({ description: 'Id of the report (`rpt_…`).' }) },
  closed,
);

export const ApplicationReportParams = Type.Object(
  {
    foreignId: Type.String({ description: 'foreignId of the application, from `/auth/me`.' }),
    reportId: Type.String({ description: 'Id of the report (`rpt_…`).' }),
  },
  closed,
);

export const CaseLogParams = Type.Object(
  {
    foreignId: Type.String({ description: 'foreignId of the application, from `/auth/me`.' }),
    caseId: Type.String({ description: 'Id of the case (`cas_…`).' }),
  },
  closed,
);

export const ReportFileSchema = Type.String({
  format: 'binary',
  description: 'The file, or the requested range of it.',
});
