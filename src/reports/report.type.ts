import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ActivityCriteriaArgs } from '../auditors-log/index.js';
import { DisclosureFlagsType, type DisclosureFlags } from '../cases/index.js';
import { connectionType } from '../kernel/connection.type.js';
import { UserType } from '../organizations/index.js';
import { GENERATION_STATUSES, type GenerationStatus } from './generation-rows.js';
import {
  CASE_REPORT_TYPES,
  REPORT_FORMATS,
  REPORT_TYPES,
  type ReportFormat,
  type ReportType,
} from './report.js';

const enumOf = <Value extends string>(values: readonly Value[]) =>
  Object.fromEntries(values.map((value) => [value, value]));

export const ReportTypeEnum = enumOf(REPORT_TYPES);
registerEnumType(ReportTypeEnum, {
  name: 'ReportType',
  description: 'What a report shows.',
  valuesConfig: {
    transaction_summary: { description: 'Totals of a case’s transactions, by asset and type.' },
    transaction_detail: { description: 'Every transaction of a case, with the totals.' },
    activity_log: { description: 'The activity log of the organization, an application or a case.' },
  },
});

export const CaseReportTypeEnum = enumOf(CASE_REPORT_TYPES);
registerEnumType(CaseReportTypeEnum, {
  name: 'CaseReportType',
  description: 'What a report on a case shows.',
  valuesConfig: {
    transaction_summary: { description: 'Totals by asset and type.' },
    transaction_detail: { description: 'Every transaction, with the totals.' },
  },
});

export const ReportFormatEnum = enumOf(REPORT_FORMATS);
registerEnumType(ReportFormatEnum, {
  name: 'ReportFormat',
  description: 'The form of a report’s file.',
  valuesConfig: {
    csv: { description: 'RFC 4180; cells that could be formulas are defused.' },
    json: {
      description: 'Of the activity log: the export with every proof, as `lucarne log verify` reads it.',
    },
    pdf: { description: 'A document to hand on; at most 50,000 records.' },
  },
});

export const GenerationStatusEnum = enumOf(GENERATION_STATUSES);
registerEnumType(GenerationStatusEnum, {
  name: 'ReportGenerationStatus',
  description: 'How far the generation of a report is.',
  valuesConfig: {
    running: { description: 'It is being generated.' },
    finished: { description: 'The report is there.' },
    failed: { description: 'There will be no report, and nothing is left of it.' },
  },
});

@ObjectType('ReportMetadata', { description: 'What a report covers, and its file.' })
export class ReportMetadataType {
  @Field(() => String, { nullable: true, description: 'Id of the case; null when it is of none.' })
  caseId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'First day covered (ISO 8601), of a report on a case.',
  })
  periodFrom!: string | null;

  @Field(() => String, { nullable: true, description: 'Last day covered, whole.' })
  periodTo!: string | null;

  @Field(() => DisclosureFlagsType, {
    nullable: true,
    description: 'What the case granted when the report was generated.',
  })
  disclosureFlags!: DisclosureFlags | null;

  @Field(() => [String], { nullable: true, description: 'Ids of the assets, of a report on a case.' })
  assetIds!: string[] | null;

  @Field(() => GraphQLSafeInt, { description: 'Records that it shows or sums up.' })
  recordCount!: number;

  @Field(() => String, { description: 'SHA-256 of the file, hex. The activity log has it, too.' })
  sha256!: string;

  @Field(() => GraphQLSafeInt, { description: 'Bytes of the file.' })
  sizeBytes!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Index of its entry in the activity log; null for the moment until that is sequenced.',
  })
  logIndex!: number | null;
}

@ObjectType('Report', { description: 'A finished report. Neither it nor its file ever changes.' })
export class ReportObjectType {
  @Field(() => String, { description: 'Id (`rpt_…`).' })
  id!: string;

  @Field(() => String, { description: 'Id of the organization.' })
  organizationId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Internal id of the application; null for a report on the whole organization.',
  })
  applicationId!: string | null;

  @Field(() => ReportTypeEnum, { description: 'What it shows.' })
  reportType!: ReportType;

  @Field(() => ReportFormatEnum, { description: 'The form of its file.' })
  format!: ReportFormat;

  @Field(() => ReportMetadataType, { description: 'What it covers, and its file.' })
  metadata!: ReportMetadataType;

  @Field(() => UserType, { description: 'Who generated it.' })
  generatedBy!: UserType;

  @Field(() => GraphQLDateTimeISO, { description: 'When what it shows was captured.' })
  generatedAt!: Date;
}

@ObjectType('ReportGeneration', { description: 'A report under way, or what became of it.' })
export class ReportGenerationType {
  @Field(() => String, { description: 'Id (`rpt_…`), which is that of the report.' })
  id!: string;

  @Field(() => GenerationStatusEnum, { description: 'How far it is.' })
  status!: GenerationStatus;

  @Field(() => GraphQLSafeInt, { description: 'Records written so far.' })
  recordCount!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Records to write; null until they are counted.',
  })
  recordTotal!: number | null;

  @Field(() => String, { nullable: true, description: 'Why it failed.' })
  failure!: string | null;

  @Field(() => ReportObjectType, { nullable: true, description: 'The report, once it is finished.' })
  report!: ReportObjectType | null;
}

@ObjectType('ReportFile', {
  description: 'The file of a report. Its bytes are sent by the REST routes of downloads.',
})
export class ReportFileType {
  @Field(() => String, { description: 'Id of the report.' })
  reportId!: string;

  @Field(() => String, { description: 'Name to save it under.' })
  fileName!: string;

  @Field(() => String, { description: 'Media type.' })
  contentType!: string;

  @Field(() => GraphQLSafeInt, { description: 'Bytes.' })
  sizeBytes!: number;

  @Field(() => String, { description: 'SHA-256, hex.' })
  sha256!: string;
}

export const ReportConnection = connectionType('Report', () => ReportObjectType);

const APPLICATION = 'foreignId of an application; absent is the whole organization.';

@ArgsType()
export class ReportListArgs {
  @Field(() => String, { nullable: true, description: APPLICATION })
  application?: string | null;

  @Field(() => ReportTypeEnum, { nullable: true, description: 'Only reports of this type.' })
  reportType?: string | null;

  @Field(() => String, { nullable: true, description: 'Only reports on this case (`cas_…`).' })
  caseId?: string | null;

  @Field(() => Int, { nullable: true, description: 'How many, 1 to 200; 50 when absent.' })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the last item seen, with the same filters.',
  })
  after?: string | null;
}

@ArgsType()
export class GenerationArgs {
  @Field(() => String, { nullable: true, description: APPLICATION })
  application?: string | null;

  @Field(() => String, { description: 'Id of the generation.' })
  id!: string;
}

const WAIT = 'Whether to answer only when the report is made; otherwise at once.';

@ArgsType()
export class GenerateCaseReportArgs {
  @Field(() => String, { description: 'foreignId of the application.' })
  application!: string;

  @Field(() => String, { description: 'Id of the case.' })
  caseId!: string;

  @Field(() => CaseReportTypeEnum, { description: 'What the report shows.' })
  reportType!: string;

  @Field(() => ReportFormatEnum, { nullable: true, description: 'The form of its file; `csv` when absent.' })
  format?: string | null;

  @Field(() => Boolean, { nullable: true, description: WAIT })
  wait?: boolean | null;
}

@ArgsType()
export class GenerateLogReportArgs {
  @Field(() => String, { nullable: true, description: APPLICATION })
  application?: string | null;

  @Field(() => String, { nullable: true, description: 'Id of a case of the application: only its log.' })
  caseId?: string | null;

  @Field(() => ReportFormatEnum, {
    nullable: true,
    description: 'The form of its file; `json`, which has the proofs, when absent.',
  })
  format?: string | null;

  @Field(() => Boolean, { nullable: true, description: WAIT })
  wait?: boolean | null;
}

@ArgsType()
export class ReportFileArgs {
  @Field(() => String, { nullable: true, description: APPLICATION })
  application?: string | null;

  @Field(() => String, { description: 'Id of the report.' })
  id!: string;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The first byte that is downloaded; a negative one counts from the end. Absent: none is.',
  })
  firstByte?: number | null;
}

@ArgsType()
export class CaseActivityArgs extends ActivityCriteriaArgs {
  @Field(() => String, { description: 'foreignId of the application.' })
  application!: string;

  @Field(() => String, { description: 'Id of the case.' })
  caseId!: string;

  @Field(() => Int, { nullable: true, description: 'How many, 1 to 200; 50 when absent.' })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the last item seen, with the same filters.',
  })
  after?: string | null;
}
