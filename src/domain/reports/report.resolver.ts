import { COMPLEXITY_OF_LARGE_ROWS } from '../../platform/kernel/paging/page-weight.js';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  FieldResolver,
  ID,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import { ActivityConnection } from '../activity-log/index.js';
import { base64, hex } from '../../platform/kernel/encoding/bytes.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import type { PageInput } from '../../platform/kernel/paging/paging.js';
import { createApplicationOf, type RequestContext } from '../access/index.js';
import { findReport } from './find-report.js';
import { downloadReport } from './download-report.js';
import { findGeneration, listGenerations } from './generation/find-generation.js';
import { followGeneration } from './generation/follow-generation.js';
import { generateCaseReport } from './generation/generate-case-report.js';
import { generateLogReport } from './generation/generate-log-report.js';
import type { ReportGeneration } from './generation/generation-rows.js';
import { listCaseActivity, type ListCaseActivityInput } from './list-case-activity.js';
import { listReports } from './list-reports.js';
import {
  CaseActivityArguments,
  GenerateCaseReportInputType,
  GenerateLogReportInputType,
  GenerationArguments,
  ReportConnection,
  ReportFileArguments,
  ReportFileType,
  ReportGenerationType,
  ReportListArguments,
  ReportObjectType,
} from './report.type.js';
import type { VisibleReport } from './visible-report.js';
import type { Reporting } from './generation/reporting.js';

@Resolver(() => ReportObjectType)
export class ReportResolver {
  private readonly applicationOf;

  constructor(private readonly reporting: Reporting) {
    this.applicationOf = createApplicationOf(reporting.foundation);
  }

  @FieldResolver()
  application(@Root() { organizationId, applicationId }: VisibleReport) {
    return this.applicationOf(organizationId, applicationId);
  }

  @Query(() => ReportConnection, {
    description:
      'Finished reports, newest first. Reports on the organization need the owner permission `reports:list`; ' +
      'reports on an application need `reports:list` in its bucket `auditor` or `administrator`. To download a ' +
      'report, see `reportFile`.',
  })
  async reports(@Args(() => ReportListArguments) input: ReportListArguments, @Ctx() context: RequestContext) {
    const { nodes, edges, pageInfo } = await listReports(this.reporting.foundation, context.principal, input);
    return {
      nodes: nodes.map(shown),
      edges: edges.map(({ cursor, node }) => ({ cursor, node: shown(node) })),
      pageInfo,
    };
  }

  @Query(() => ReportObjectType, {
    description:
      'A finished report. Needs the same permissions as `reports`: with the owner permission ' +
      '`reports:list`, any report of the organization; otherwise a report of an application where you ' +
      'hold `reports:list`. Fails with NOT_FOUND for a report that you may not list.',
  })
  async report(
    @Arg('id', () => ID, { description: 'Id of the report (`rpt_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return shown(await findReport(this.reporting.foundation, context.principal, id));
  }

  @Query(() => ReportGenerationType, {
    description:
      'The progress of a generation that you started. Needs `reports:create`, as an owner or as an auditor of ' +
      'the application.',
  })
  async reportGeneration(
    @Args(() => GenerationArguments) input: GenerationArguments,
    @Ctx() context: RequestContext,
  ) {
    return progress(await findGeneration(this.reporting.foundation, context.principal, input));
  }

  @Query(() => [ReportGenerationType], {
    description:
      'Your generations that are running, newest first. Needs `reports:create`, as an owner or as an auditor ' +
      'of the application; without `foreignId`, of any application.',
  })
  async reportGenerations(
    @Arg('foreignId', () => String, {
      nullable: true,
      description:
        'The foreignId of an application. By default the whole organization and all applications where ' +
        'you may generate reports.',
    })
    foreignId: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    const running = await listGenerations(this.reporting.foundation, context.principal, foreignId);
    return running.map(progress);
  }

  @Query(() => ReportFileType, {
    description:
      'The file of a report, for a download. With `firstByte`, the download is logged (`report.downloaded`) ' +
      'unless it continues the previous one in the same session, after all bytes of it. Owners need ' +
      '`reports:download` and may download every report. Auditors of the application need `reports:download` ' +
      'and, for a report on a case, an assignment to the case and an active case.',
  })
  async reportFile(
    @Args(() => ReportFileArguments) input: ReportFileArguments,
    @Ctx() context: RequestContext,
  ) {
    const { report, digest, salt, fileName, contentType } = await downloadReport(
      this.reporting.foundation,
      context.principal,
      input,
    );
    const { id, sizeBytes } = report;
    const sha256 = hex.encode(digest);
    return { reportId: id, fileName, contentType, sizeBytes, sha256, salt: base64.encode(salt) };
  }

  @Query(() => ActivityConnection, {
    complexity: COMPLEXITY_OF_LARGE_ROWS,
    description:
      'The completed actions of a case, newest first. Needs `reports:view_transactions` in the bucket ' +
      '`auditor`, an assignment to the case, and an active case.',
  })
  caseActivityLog(
    @Args(() => CaseActivityArguments) input: ListCaseActivityInput,
    @Args(() => PageArguments) page: PageInput,
    @Ctx() context: RequestContext,
  ) {
    return listCaseActivity(this.reporting.foundation, context.principal, { ...input, ...page });
  }

  @Mutation(() => ReportGenerationType, {
    description:
      'Generates a report on the current transactions of a case, masked by its flags. The finished report ' +
      'is logged (`report.generated`). Needs `reports:create` in the bucket `auditor`, an assignment to ' +
      'the case, and an active case. Fails with TOO_MANY_REQUESTS or UNAVAILABLE while too many reports ' +
      'are being generated.',
  })
  async generateCaseReport(
    @Arg('input', () => GenerateCaseReportInputType, { description: 'The report.' })
    input: GenerateCaseReportInputType,
    @Ctx() context: RequestContext,
  ) {
    return progress(await generateCaseReport(this.reporting, context.principal, input));
  }

  @Mutation(() => ReportGenerationType, {
    description:
      'Generates a report that contains an activity log as it is now. The finished report is logged ' +
      '(`log.exported`). The log of the organization needs the owner permission `reports:create`. The log of ' +
      'an application needs `reports:create` in its bucket `auditor` and `logs:view_activity` in its bucket ' +
      '`common`. The log of a case needs `reports:create` and `reports:view_transactions` in the bucket ' +
      '`auditor`, an assignment to the case, and an active case.',
  })
  async generateLogReport(
    @Arg('input', () => GenerateLogReportInputType, { description: 'The report.' })
    input: GenerateLogReportInputType,
    @Ctx() context: RequestContext,
  ) {
    return progress(await generateLogReport(this.reporting, context.principal, input));
  }
}

/** type-graphql calls `subscribe` without an instance, so the class closes over its dependencies. */
export function reportProgressResolver({ foundation }: Reporting): object {
  @ArgsType()
  class ReportProgressArgs extends GenerationArguments {}

  @Resolver()
  class ReportProgressResolver {
    @Subscription(() => ReportGenerationType, {
      description:
        'Sends a generation that you started, at once and after each change, until it finishes or fails. Needs ' +
        'the same permissions as `reportGeneration`.',
      subscribe: ({ args, context }: { args: GenerationArguments; context: RequestContext }) =>
        followGeneration(foundation, context.principal, args),
    })
    reportProgress(
      @Args(() => ReportProgressArgs) _input: ReportProgressArgs,
      @Root() generation: ReportGeneration,
    ) {
      return progress(generation);
    }
  }
  return new ReportProgressResolver();
}

@Resolver(() => ReportGenerationType)
export class ReportGenerationResolver {
  private readonly applicationOf;

  constructor({ foundation }: Reporting) {
    this.applicationOf = createApplicationOf(foundation);
  }

  @FieldResolver()
  application(@Root() { organizationId, applicationId }: ReportGeneration) {
    return this.applicationOf(organizationId, applicationId);
  }
}

function progress({ report, ...generation }: ReportGeneration) {
  return { ...generation, report: report && shown(report) };
}

function shown({ caseId, periodFrom, periodTo, disclosureFlags, assetIds, ...report }: VisibleReport) {
  const { recordCount, sha256, sizeBytes, isFileDeleted: fileDeleted, logIndex } = report;
  const salt = report.salt && base64.encode(report.salt);
  const scope = { caseId, periodFrom, periodTo, disclosureFlags, assetIds };
  return { ...report, metadata: { ...scope, recordCount, sha256, salt, sizeBytes, fileDeleted, logIndex } };
}
