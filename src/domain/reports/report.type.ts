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

const ReportTypeEnum = graphqlEnum<ReportType>('ReportType', 'What a report shows.', {
  transaction_summary: 'Totals of a case’s transactions, by asset and type.',
  transaction_detail: 'Every transaction of a case, with the totals.',
  activity_log: 'The activity log of the organization, an application or a case.',
});

const CaseReportTypeEnum = graphqlEnum<CaseReportType>('CaseReportType', 'What a report on a case shows.', {
  transaction_summary: 'Totals by asset and type.',
  transaction_detail: 'Every transaction, with the totals.',
});

const ReportFormatEnum = graphqlEnum<ReportFormat>('ReportFormat', 'The format of a report’s file.', {
  csv: 'RFC 4180. Cells that a spreadsheet would take for formulas begin with an apostrophe.',
  json: 'For the activity log: the export with all proofs, as `lucarne log verify` reads it.',
  pdf: 'A document for readers, with at most 50,000 records.',
});

const GenerationStatusEnum = graphqlEnum<GenerationStatus>(
  'ReportGenerationStatus',
  'The status of the generation of a report.',
  {
    running: 'The report is being generated.',
    finished: 'The report is available.',
    failed: 'The generation failed. Nothing of it is kept.',
  },
);

const FOREIGN_ID = 'Public name of the application.';
export const OPTIONAL_FOREIGN_ID = 'Public name of an application. By default the whole organization.';

@ObjectType('ReportMetadata', { description: 'What a report covers, and a description of its file.' })
export class ReportMetadataType {
  @Field(() => ID, { nullable: true, description: 'Id of the case, if there is one.' })
  caseId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'First day covered (ISO 8601), for a report on a case.',
  })
  periodFrom!: string | null;

  @Field(() => String, { nullable: true, description: 'Last day covered, to its end.' })
  periodTo!: string | null;

  @Field(() => DisclosureFlagsType, {
    nullable: true,
    description: 'What the case granted when the report was generated.',
  })
  disclosureFlags!: DisclosureFlags | null;

  @Field(() => [ID], { nullable: true, description: 'Ids of the assets, for a report on a case.' })
  assetIds!: string[] | null;

  @Field(() => GraphQLSafeInt, { description: 'Number of records that it shows or sums up.' })
  recordCount!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'SHA-256 of the file, hex; null if you may not download the file. The activity log holds a salted digest of it.',
  })
  sha256!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Salt of the digest in the activity log, 16 bytes in base64; null if you may not download the file. The entry’s ' +
      '`salted_sha256` is the hex of SHA-256(salt ‖ sha256).',
  })
  salt!: string | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Size of the file in bytes; null if you may not download the file, or it was deleted.',
  })
  sizeBytes!: number | null;

  @Field(() => Boolean, {
    description: 'Whether the file was deleted at the end of its retention. The report stays.',
  })
  fileDeleted!: boolean;

  @Field(() => Int, {
    nullable: true,
    description:
      'Index of its entry in the activity log. Null until the entry is sequenced, which takes about a second.',
  })
  logIndex!: number | null;
}

@ObjectType('Report', { description: 'A finished report. Neither it nor its file ever changes.' })
export class ReportObjectType {
  @Field(() => ID, { description: 'Id (`rpt_…`).' })
  id!: string;

  @Field(() => ID, { description: 'Id of the organization.' })
  organizationId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the application; null for a report on the whole organization.',
  })
  applicationId!: string | null;

  @Field(() => ApplicationType, {
    nullable: true,
    description: 'The application; null for a report on the whole organization.',
  })
  application!: ApplicationType | null;

  @Field(() => ReportTypeEnum, { description: 'What it shows.' })
  reportType!: ReportType;

  @Field(() => ReportFormatEnum, { description: 'The format of its file.' })
  format!: ReportFormat;

  @Field(() => ReportMetadataType, { description: 'What it covers, and a description of its file.' })
  metadata!: ReportMetadataType;

  @Field(() => PersonType, { description: 'Who generated it.' })
  generatedBy!: PersonType;

  @Field(() => GraphQLDateTimeISO, { description: 'When its data was captured.' })
  generatedAt!: Date;
}

@ObjectType('ReportGeneration', { description: 'The generation of a report, and its outcome.' })
export class ReportGenerationType {
  @Field(() => ID, { description: 'Id (`rpt_…`): that of the report.' })
  id!: string;

  @Field(() => ReportTypeEnum, {
    nullable: true,
    description:
      'What the report shows. Null if an instance of the previous version of the gateway began it.',
  })
  reportType!: ReportType | null;

  @Field(() => ID, { nullable: true, description: 'Id of the case, if there is one.' })
  caseId!: string | null;

  @Field(() => GenerationStatusEnum, { description: 'Its status.' })
  status!: GenerationStatus;

  @Field(() => GraphQLSafeInt, { description: 'Number of records written so far.' })
  recordCount!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Number of records to write; null until it is known.',
  })
  recordTotal!: number | null;

  @Field(() => Boolean, {
    description:
      'Whether `recordTotal` is an estimate: only a document is counted before it is written. A part of a log is ' +
      'estimated by the size of the whole.',
  })
  recordTotalIsEstimate!: boolean;

  @Field(() => String, { nullable: true, description: 'Why it failed.' })
  failure!: string | null;

  @Field(() => ReportObjectType, { nullable: true, description: 'The report, once it is finished.' })
  report!: ReportObjectType | null;
}

@ObjectType('ReportFile', {
  description: 'The file of a report. The REST routes for downloads send its bytes.',
})
export class ReportFileType {
  @Field(() => ID, { description: 'Id of the report.' })
  reportId!: string;

  @Field(() => String, { description: 'Suggested file name.' })
  fileName!: string;

  @Field(() => String, { description: 'Media type.' })
  contentType!: string;

  @Field(() => GraphQLSafeInt, { description: 'Size in bytes.' })
  sizeBytes!: number;

  @Field(() => String, { description: 'SHA-256, hex.' })
  sha256!: string;

  @Field(() => String, {
    description: 'Salt of the digest in the activity log, 16 bytes in base64: see `salted_sha256` there.',
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

const WAIT = 'Whether to wait for the report to finish. By default the answer comes at once.';

@InputType('GenerateCaseReportInput', { description: 'A report on the transactions of a case.' })
export class GenerateCaseReportInputType {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;

  @Field(() => ID, { description: 'Id of the case.' })
  caseId!: string;

  @Field(() => CaseReportTypeEnum, { description: 'What the report shows.' })
  reportType!: CaseReportType;

  @Field(() => ReportFormatEnum, { nullable: true, description: 'The format of its file; `csv` by default.' })
  format?: ReportFormat | null;

  @Field(() => Boolean, { nullable: true, description: WAIT })
  wait?: boolean | null;
}

@InputType('GenerateLogReportInput', { description: 'A report on an activity log.' })
export class GenerateLogReportInputType {
  @Field(() => String, { nullable: true, description: OPTIONAL_FOREIGN_ID })
  foreignId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only the log of this case of the application.' })
  caseId?: string | null;

  @Field(() => ReportFormatEnum, {
    nullable: true,
    description: 'The format of its file; `json` by default, which holds the proofs.',
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
      'The first byte to download; a negative one counts from the end. Without it nothing is downloaded.',
  })
  firstByte?: number | null;
}

@ArgsType()
export class CaseActivityArguments extends ActivityCriteria {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;

  @Field(() => ID, { description: 'Id of the case.' })
  caseId!: string;
}
