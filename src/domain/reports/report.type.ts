import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { ActivityCriteria } from '../activity-log/index.js';
import { PersonType } from '../access/index.js';
import { DisclosureFlagsType, type DisclosureFlags } from '../cases/index.js';
import { ApplicationType } from '../organizations/index.js';
import { connectionType } from '../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../platform/kernel/enums/enum.type.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import type { GenerationStatus } from './generation/generation-rows.js';
import type { CaseReportType, ReportFormat, ReportType } from './report-types.js';

const ReportTypeEnum = graphqlEnum<ReportType>('ReportType', 'The content of a report.', {
  transaction_summary: 'The totals of a case’s transactions by asset and type.',
  transaction_detail: 'Every transaction of a case, and the totals.',
  activity_log: 'The activity log of the organization, an application or a case.',
});

const CaseReportTypeEnum = graphqlEnum<CaseReportType>(
  'CaseReportType',
  'The content of a report on a case.',
  {
    transaction_summary: 'The totals by asset and type.',
    transaction_detail: 'Every transaction, and the totals.',
  },
);

const ReportFormatEnum = graphqlEnum<ReportFormat>('ReportFormat', 'The format of a report file.', {
  csv: 'CSV (RFC 4180). A cell that a spreadsheet would read as a formula begins with an apostrophe.',
  json: 'JSON. Only for activity logs: the export with all proofs, which `lucarne log verify` reads.',
  pdf: 'A PDF document with at most 50,000 records.',
});

const GenerationStatusEnum = graphqlEnum<GenerationStatus>(
  'ReportGenerationStatus',
  'The status of the generation of a report.',
  {
    running: 'The report is being generated.',
    finished: 'The report is available.',
    failed: 'The generation failed. Nothing is kept.',
  },
);

const FOREIGN_ID = 'The foreignId of the application.';
const OPTIONAL_FOREIGN_ID = 'The foreignId of an application. By default the whole organization.';

@ObjectType('ReportMetadata', { description: 'What a report covers, and a description of its file.' })
export class ReportMetadataType {
  @Field(() => ID, {
    nullable: true,
    description: 'Id of the case. Null if the report is not on a case or its log.',
  })
  caseId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The first day covered (ISO 8601). Null for a report on an activity log.',
  })
  periodFrom!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The last day covered, to its end (ISO 8601). Null for a report on an activity log.',
  })
  periodTo!: string | null;

  @Field(() => DisclosureFlagsType, {
    nullable: true,
    description:
      'The flags that the case granted when the report was generated. Null for a report on an activity log.',
  })
  disclosureFlags!: DisclosureFlags | null;

  @Field(() => [ID], {
    nullable: true,
    description: 'Ids of the covered assets (`ast_…`). Null for a report on an activity log.',
  })
  assetIds!: string[] | null;

  @Field(() => GraphQLSafeInt, { description: 'The number of records that the report shows or sums.' })
  recordCount!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'The SHA-256 of the file in hex. The activity log holds a salted digest of it. Null if you may not ' +
      'download the file.',
  })
  sha256!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The salt of the file’s digest in the activity log: base64 of 16 bytes. `salted_sha256` of the entry is ' +
      'the hex of SHA-256(salt ‖ sha256). Null if you may not download the file.',
  })
  salt!: string | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The size of the file in bytes. Null if you may not download the file, or if it was deleted.',
  })
  sizeBytes!: number | null;

  @Field(() => Boolean, {
    description:
      'Whether the file was deleted at the end of its retention period. The report itself is kept.',
  })
  fileDeleted!: boolean;

  @Field(() => Int, {
    nullable: true,
    description:
      'The index in the activity log of the entry that records the report. Null until the entry is sequenced, ' +
      'which takes about a second.',
  })
  logIndex!: number | null;
}

@ObjectType('Report', { description: 'A finished report. The report and its file never change.' })
export class ReportObjectType {
  @Field(() => ID, { description: 'Id of the report (`rpt_…`).' })
  id!: string;

  @Field(() => ID, { description: 'Id of the organization.' })
  organizationId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the application of the report. Null for a report on the whole organization.',
  })
  applicationId!: string | null;

  @Field(() => ApplicationType, {
    nullable: true,
    description: 'The application of the report. Null for a report on the whole organization.',
  })
  application!: ApplicationType | null;

  @Field(() => ReportTypeEnum, { description: 'The content of the report.' })
  reportType!: ReportType;

  @Field(() => ReportFormatEnum, { description: 'The format of the file.' })
  format!: ReportFormat;

  @Field(() => ReportMetadataType, { description: 'What the report covers, and a description of its file.' })
  metadata!: ReportMetadataType;

  @Field(() => PersonType, { description: 'The user who generated the report.' })
  generatedBy!: PersonType;

  @Field(() => GraphQLDateTimeISO, { description: 'When the data of the report was read.' })
  generatedAt!: Date;
}

@ObjectType('ReportGeneration', { description: 'The generation of a report: its progress and its outcome.' })
export class ReportGenerationType {
  @Field(() => ID, { description: 'Id of the generation and of its report (`rpt_…`).' })
  id!: string;

  @Field(() => ReportTypeEnum, {
    nullable: true,
    description:
      'The content of the report. Null if an instance of the previous version of the gateway started the ' +
      'generation.',
  })
  reportType!: ReportType | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the case. Null if the report is not on a case or its log.',
  })
  caseId!: string | null;

  @Field(() => ApplicationType, {
    nullable: true,
    description: 'The application of the report. Null for a report on the whole organization.',
  })
  application!: ApplicationType | null;

  @Field(() => GenerationStatusEnum, { description: 'The status of the generation.' })
  status!: GenerationStatus;

  @Field(() => GraphQLSafeInt, { description: 'The number of records written so far.' })
  recordCount!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The number of records to write. Null until it is known.',
  })
  recordTotal!: number | null;

  @Field(() => Boolean, {
    description:
      'Whether `recordTotal` is an estimate. It is exact only for PDF documents, whose records are counted ' +
      'first. For a part of a log, the estimate is the size of the whole log.',
  })
  recordTotalIsEstimate!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The reason why the generation failed. Null unless the status is `failed`.',
  })
  failure!: string | null;

  @Field(() => ReportObjectType, { nullable: true, description: 'The report. Null until it is finished.' })
  report!: ReportObjectType | null;
}

@ObjectType('ReportFile', {
  description: 'The file of a report. To download its bytes, use the REST download routes.',
})
export class ReportFileType {
  @Field(() => ID, { description: 'Id of the report.' })
  reportId!: string;

  @Field(() => String, { description: 'The suggested name of the file.' })
  fileName!: string;

  @Field(() => String, { description: 'The media type of the file.' })
  contentType!: string;

  @Field(() => GraphQLSafeInt, { description: 'The size of the file in bytes.' })
  sizeBytes!: number;

  @Field(() => String, { description: 'The SHA-256 of the file in hex.' })
  sha256!: string;

  @Field(() => String, {
    description: 'The salt of the file’s digest in the activity log (`salted_sha256`): base64 of 16 bytes.',
  })
  salt!: string;
}

export const ReportConnection = connectionType('Report', () => ReportObjectType);

@ArgsType()
export class ReportListArguments extends PageArguments {
  @Field(() => String, { nullable: true, description: OPTIONAL_FOREIGN_ID })
  foreignId?: string | null;

  @Field(() => ReportTypeEnum, { nullable: true, description: 'Only reports of this type.' })
  reportType?: ReportType | null;

  @Field(() => ID, { nullable: true, description: 'Only reports on this case (`cas_…`).' })
  caseId?: string | null;
}

@ArgsType()
export class GenerationArguments {
  @Field(() => String, { nullable: true, description: OPTIONAL_FOREIGN_ID })
  foreignId?: string | null;

  @Field(() => ID, { description: 'Id of the generation (`rpt_…`).' })
  id!: string;
}

const WAIT = 'Whether to wait until the report is finished. By default the call returns at once.';

@InputType('GenerateCaseReportInput', { description: 'A report to generate on the transactions of a case.' })
export class GenerateCaseReportInputType {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;

  @Field(() => ID, { description: 'Id of the case.' })
  caseId!: string;

  @Field(() => CaseReportTypeEnum, { description: 'The content of the report.' })
  reportType!: CaseReportType;

  @Field(() => ReportFormatEnum, {
    nullable: true,
    description: 'The format of the file. The default is `csv`.',
  })
  format?: ReportFormat | null;

  @Field(() => Boolean, { nullable: true, description: WAIT })
  wait?: boolean | null;
}

@InputType('GenerateLogReportInput', { description: 'A report to generate on an activity log.' })
export class GenerateLogReportInputType {
  @Field(() => String, { nullable: true, description: OPTIONAL_FOREIGN_ID })
  foreignId?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of a case of the application. Limits the report to the log of this case.',
  })
  caseId?: string | null;

  @Field(() => ReportFormatEnum, {
    nullable: true,
    description: 'The format of the file. The default is `json`, which includes the proofs.',
  })
  format?: ReportFormat | null;

  @Field(() => Boolean, { nullable: true, description: WAIT })
  wait?: boolean | null;
}

@ArgsType()
export class ReportFileArguments {
  @Field(() => String, { nullable: true, description: OPTIONAL_FOREIGN_ID })
  foreignId?: string | null;

  @Field(() => ID, { description: 'Id of the report.' })
  id!: string;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The first byte to download. A negative number counts from the end. Without it, nothing is downloaded or ' +
      'logged.',
  })
  firstByte?: number | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The byte after the last one to download. By default the end of the file.',
  })
  endByte?: number | null;
}

@ArgsType()
export class CaseActivityArguments extends ActivityCriteria {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;

  @Field(() => ID, { description: 'Id of the case.' })
  caseId!: string;
}
