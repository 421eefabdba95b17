import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import type { Foundation } from '../database/index.js';
import type { RequestContext } from '../organizations/index.js';
import { approveCaseRequest } from './approve-case-request.js';
import {
  AuditorCandidateConnectionType,
  CaseAssetConnectionType,
  CaseRequestChangedType,
  CaseRequestConnectionType,
  CaseRequestStatusEnum,
  CaseRequestType,
  CaseType,
  CreateCaseRequestInputType,
} from './case.type.js';
import { closeCaseRequest } from './close-case-request.js';
import { createCaseRequest } from './create-case-request.js';
import { findCaseRequest, listCaseRequests, listDisclosureRegistry } from './find-case-request.js';
import { followCaseRequests, type CaseRequestChange, type FollowInput } from './follow-case-changes.js';
import { listAuditorCandidates } from './list-auditor-candidates.js';
import { listCaseAssets } from './list-case-assets.js';
import { withdrawCaseRequest } from './withdraw-case-request.js';

@ArgsType()
class CaseRequestPageArgs {
  @Field(() => String, { description: 'foreignId of the application.' })
  application!: string;

  @Field(() => CaseRequestStatusEnum, { nullable: true, description: 'Only requests that stand so.' })
  status?: string | null;

  @Field(() => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The `endCursor` of the page before, made with the same filters.',
  })
  after?: string | null;
}

@Resolver(() => CaseRequestType)
export class CaseRequestResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => CaseRequestConnectionType, {
    description:
      'The case requests that you may see, newest first: every one with the administrator permission ' +
      '`cases:approve_creation`, your own with the auditor permission `cases:create` or ' +
      '`cases:withdraw_pending_request`.',
  })
  caseRequests(@Args(() => CaseRequestPageArgs) input: CaseRequestPageArgs, @Ctx() context: RequestContext) {
    return listCaseRequests(this.foundation, context.principal, input);
  }

  @Query(() => CaseRequestConnectionType, {
    description:
      'Every case request of the application, newest first. Needs the administrator permission ' +
      '`cases:approve_creation`.',
  })
  disclosureRegistry(
    @Args(() => CaseRequestPageArgs) input: CaseRequestPageArgs,
    @Ctx() context: RequestContext,
  ) {
    return listDisclosureRegistry(this.foundation, context.principal, input);
  }

  @Query(() => CaseRequestType, {
    description:
      'A case request. Needs what `caseRequests` needs; another auditor’s is as if it were not there.',
  })
  caseRequest(
    @Arg('application', () => String, { description: 'foreignId of the application.' }) application: string,
    @Arg('id', () => String, { description: 'Id of the request.' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return findCaseRequest(this.foundation, context.principal, application, id);
  }

  @Query(() => AuditorCandidateConnectionType, {
    description:
      'Who may be proposed as an auditor of a case: the users who hold an auditor permission of the application now. ' +
      'Needs the auditor permission `cases:create`.',
  })
  auditorCandidates(
    @Arg('application', () => String, { description: 'foreignId of the application.' }) application: string,
    @Arg('first', () => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
    first: number | null | undefined,
    @Arg('after', () => String, { nullable: true, description: 'The `endCursor` of the page before.' })
    after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listAuditorCandidates(this.foundation, context.principal, { application, first, after });
  }

  @Query(() => CaseAssetConnectionType, {
    description:
      'The assets of the application, which a case may cover. Needs the auditor permission `cases:create` or the ' +
      'administrator permission `cases:approve_creation`.',
  })
  caseAssets(
    @Arg('application', () => String, { description: 'foreignId of the application.' }) application: string,
    @Arg('first', () => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
    first: number | null | undefined,
    @Arg('after', () => String, { nullable: true, description: 'The `endCursor` of the page before.' })
    after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listCaseAssets(this.foundation, context.principal, { application, first, after });
  }

  @Mutation(() => CaseRequestType, {
    description:
      'Files a request for a case. It gives access to nothing until it is approved. Needs the auditor permission ' +
      '`cases:create`.',
  })
  createCaseRequest(
    @Arg('application', () => String, { description: 'foreignId of the application.' }) application: string,
    @Arg('input', () => CreateCaseRequestInputType, { description: 'The request.' })
    input: CreateCaseRequestInputType,
    @Ctx() context: RequestContext,
  ) {
    return createCaseRequest(this.foundation, context.principal, application, input);
  }

  @Mutation(() => CaseRequestType, {
    description:
      'Withdraws your own pending request: it is closed. One that is decided is a CONFLICT. Needs the auditor ' +
      'permission `cases:withdraw_pending_request`.',
  })
  withdrawCaseRequest(
    @Arg('application', () => String, { description: 'foreignId of the application.' }) application: string,
    @Arg('id', () => String, { description: 'Id of the request.' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return withdrawCaseRequest(this.foundation, context.principal, application, id);
  }

  @Mutation(() => CaseType, {
    description:
      'Approves a pending request: a case is made, and the window of its auditors begins. One that is decided is a ' +
      'CONFLICT; your own is FORBIDDEN where the organization demands a second person. Needs the administrator ' +
      'permission `cases:approve_creation`.',
  })
  approveCaseRequest(
    @Arg('application', () => String, { description: 'foreignId of the application.' }) application: string,
    @Arg('id', () => String, { description: 'Id of the request.' }) id: string,
    @Arg('reason', () => String, { nullable: true, description: 'Why, 1 to 2000 characters.' })
    reason: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return approveCaseRequest(this.foundation, context.principal, application, { id, reason });
  }

  @Mutation(() => CaseRequestType, {
    description:
      'Closes a pending request without a case. One that is decided is a CONFLICT. Needs the administrator permission ' +
      '`cases:approve_creation`.',
  })
  closeCaseRequest(
    @Arg('application', () => String, { description: 'foreignId of the application.' }) application: string,
    @Arg('id', () => String, { description: 'Id of the request.' }) id: string,
    @Arg('reason', () => String, { nullable: true, description: 'Why, 1 to 2000 characters.' })
    reason: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return closeCaseRequest(this.foundation, context.principal, application, { id, reason });
  }
}

/** type-graphql calls `subscribe` without an instance, so the class is made around what it stands on. */
export function caseRequestChangedResolver(foundation: Foundation): object {
  @Resolver()
  class CaseRequestChangedResolver {
    @Subscription(() => CaseRequestChangedType, {
      description:
        'The case requests that you may see, as they are filed and decided: behind `after`, or from now on. Of several ' +
        'changes that you missed, each request shows the last. Ends with UNAUTHENTICATED once the session or what it ' +
        'permits has changed. Needs what `caseRequests` needs.',
      subscribe: ({ args, context }: { args: FollowInput; context: RequestContext }) =>
        followCaseRequests(foundation, context.principal, args),
    })
    caseRequestChanged(
      @Arg('application', () => String, { description: 'foreignId of the application.' })
      _application: string,
      @Arg('after', () => String, { nullable: true, description: 'A cursor of this subscription.' })
      _after: string | null | undefined,
      @Root() changed: CaseRequestChange,
    ): CaseRequestChange {
      return changed;
    }
  }
  return new CaseRequestChangedResolver();
}
