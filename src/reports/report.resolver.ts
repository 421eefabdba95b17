import { Args, ArgsType, Ctx, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { ActivityConnection } from '../auditors-log/index.js';
import type { RequestContext } from '../organizations/index.js';
import { downloadReport } from './download-report.js';
import { findGeneration } from './find-generation.js';
import { followGeneration } from './follow-generation.js';
import { generateCaseReport } from './generate-case-report.js';
import { generateLogReport } from './generate-log-report.js';
import type { ReportGeneration } from './generation-rows.js';
import { listCaseActivity } from './list-case-activity.js';
import { listReports } from './list-reports.js';
import {
  CaseActivityArgs,
  GenerateCaseReportArgs,
  GenerateLogReportArgs,
  GenerationArgs,
  ReportConnection,
  ReportFileArgs,
  ReportFileType,
  ReportGenerationType,
  ReportListArgs,
} from './report.type.js';
import type { Report } from './report.js';
import type { Reporting } from './reporting.js';

@Resolver()
export class ReportResolver {
  constructor(private readonly reporting: Reporting) {}

  @Query(() => ReportConnection, {
    description:
      'Finished reports, newest first. The organization’s need the owner permission `reports:list`; those of an ' +
      'application `reports:list` in its bucket `auditor` or `administrator`. What is listed is not the content: that ' +
      'needs `reportFile`.',
  })
  async reports(@Args(() => ReportListArgs) input: ReportListArgs, @Ctx() context: RequestContext) {
    const { nodes, edges, pageInfo } = await listReports(this.reporting.foundation, context.principal, input);
    return {
      nodes: nodes.map(shown),
      edges: edges.map(({ cursor, node }) => ({ cursor, node: shown(node) })),
      pageInfo,
    };
  }

  @Query(() => ReportGenerationType, {
    description:
      'How far a generation is that the caller began. Needs `reports:create`, as an owner or as the application’s auditor.',
  })
  async reportGeneration(@Args(() => GenerationArgs) input: GenerationArgs, @Ctx() context: RequestContext) {
    return progress(await findGeneration(this.reporting.foundation, context.principal, input));
  }

  @Query(() => ReportFileType, {
    description:
      'The file of a report, to be downloaded. With `firstByte` the download is logged (`report.downloaded`): each ' +
      'time it begins, and when it is gone on with by who did not begin it in the last 24 hours. The organization’s ' +
      'owner needs `reports:download`, and may download every report. An application’s auditor needs ' +
      '`reports:download`, and for what is of a case to be assigned to it, inside its window, at that moment.',
  })
  async reportFile(@Args(() => ReportFileArgs) input: ReportFileArgs, @Ctx() context: RequestContext) {
    const { report, fileName, contentType } = await downloadReport(
      this.reporting.foundation,
      context.principal,
      input,
    );
    const { id, sizeBytes, sha256 } = report;
    return { reportId: id, fileName, contentType, sizeBytes, sha256 };
  }

  @Query(() => ActivityConnection, {
    description:
      'Completed actions of a case, newest first. Needs `reports:view_transactions` in the bucket `auditor`, an ' +
      'assignment to the case, and its window to be open.',
  })
  caseActivityLog(@Args(() => CaseActivityArgs) input: CaseActivityArgs, @Ctx() context: RequestContext) {
    return listCaseActivity(this.reporting.foundation, context.principal, input);
  }

  @Mutation(() => ReportGenerationType, {
    description:
      'Generates a report on the transactions of a case as they are now, masked by its flags, and logs it ' +
      '(`report.generated`) when it is made. Needs `reports:create` in the bucket `auditor`, an assignment to the ' +
      'case, and its window to be open. TOO_MANY_REQUESTS or UNAVAILABLE while too many are being generated.',
  })
  async generateCaseReport(
    @Args(() => GenerateCaseReportArgs) input: GenerateCaseReportArgs,
    @Ctx() context: RequestContext,
  ) {
    return progress(await generateCaseReport(this.reporting, context.principal, input));
  }

  @Mutation(() => ReportGenerationType, {
    description:
      'Exports a log as it is now to a report, and logs it (`log.exported`) when it is made. The organization’s needs ' +
      'the owner permission `reports:create`; an application’s `reports:create` in its bucket `auditor` and ' +
      '`logs:view_activity` in `common`; a case’s `reports:create` and `reports:view_transactions` in `auditor`, an ' +
      'assignment to the case, and its window to be open.',
  })
  async generateLogReport(
    @Args(() => GenerateLogReportArgs) input: GenerateLogReportArgs,
    @Ctx() context: RequestContext,
  ) {
    return progress(await generateLogReport(this.reporting, context.principal, input));
  }
}

/** The subscription's resolver. type-graphql calls `subscribe` without an instance, so the class is made around it. */
export function reportProgressResolver({ foundation }: Reporting): object {
  @ArgsType()
  class ReportProgressArgs extends GenerationArgs {}

  @Resolver()
  class ReportProgressResolver {
    @Subscription(() => ReportGenerationType, {
      description:
        'A generation that the caller began: as it is, and at each change until it is finished or has failed. Needs ' +
        'what `reportGeneration` needs.',
      subscribe: ({ args, context }: { args: GenerationArgs; context: RequestContext }) =>
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

function progress({ report, ...generation }: ReportGeneration) {
  return { ...generation, report: report && shown(report) };
}

function shown({ caseId, periodFrom, periodTo, disclosureFlags, assetIds, ...report }: Report) {
  const { recordCount, sha256, sizeBytes, logIndex } = report;
  const scope = { caseId, periodFrom, periodTo, disclosureFlags, assetIds };
  return { ...report, metadata: { ...scope, recordCount, sha256, sizeBytes, logIndex } };
}
