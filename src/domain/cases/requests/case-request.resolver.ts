import { COMPLEXITY_OF_LARGE_ROWS } from '../../../platform/kernel/paging/page-weight.js';
import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { Foundation } from '../../../platform/database/index.js';
import type { RequestContext } from '../../access/index.js';
import type { CaseFacts } from '../case-facts.js';
import { CaseParameters, CaseType, FollowCasesArguments } from '../case.type.js';
import type { CaseRequest } from './case-request.js';
import { type CaseRequestChange, followCaseRequests } from '../follow-case-changes.js';
import { previewRequest } from './preview-request.js';
import { approveCaseRequest } from './approve-case-request.js';
import {
  ApproveCaseRequestInputType,
  AuditorCandidateConnectionType,
  CaseAssetConnectionType,
  CaseChoiceArguments,
  CaseRequestArguments,
  CaseRequestChangedType,
  CaseRequestConnectionType,
  CaseRequestListArguments,
  CaseRequestPreviewType,
  CaseRequestType,
  CloseCaseRequestInputType,
  CreateCaseRequestInputType,
  WithdrawCaseRequestInputType,
} from './case-request.type.js';
import { closeCaseRequest } from './close-case-request.js';
import { createCaseRequest } from './create-case-request.js';
import { findCaseRequest, listCaseRequests, listDisclosureRegistry } from './find-case-request.js';
import { listAuditorCandidates } from './list-auditor-candidates.js';
import { listCaseAssets } from './list-case-assets.js';
import { withdrawCaseRequest } from './withdraw-case-request.js';

@Resolver(() => CaseRequestType)
export class CaseRequestResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly facts: CaseFacts,
  ) {}

  @FieldResolver(() => CaseRequestPreviewType, {
    nullable: true,
    complexity: 1_000,
    description:
      'What the case would show if the request were approved now: numbers and times, no amounts. Needs the ' +
      'administrator permission `cases:approve_creation`.',
  })
  preview(@Root() request: CaseRequest, @Ctx() context: RequestContext) {
    return previewRequest(this.foundation, context.principal, request);
  }

  @FieldResolver(() => CaseParameters, {
    nullable: true,
    description:
      'What the approval granted, which can be less than what was requested. Null if the request is not ' +
      'approved.',
  })
  granted(@Root() { organizationId, caseId }: CaseRequest) {
    return this.facts.grantOf(organizationId, caseId);
  }

  @FieldResolver()
  decider(@Root() { organizationId, decidedBy }: CaseRequest) {
    return this.facts.personOf(organizationId, decidedBy);
  }

  @Query(() => CaseRequestConnectionType, {
    complexity: COMPLEXITY_OF_LARGE_ROWS,
    description:
      'The case requests that you may see, newest first. With the administrator permission ' +
      '`cases:approve_creation` these are all requests of the application; with the auditor permission ' +
      '`cases:create` or `cases:withdraw_pending_request`, your own.',
  })
  caseRequests(
    @Args(() => CaseRequestListArguments) input: CaseRequestListArguments,
    @Ctx() context: RequestContext,
  ) {
    return listCaseRequests(this.foundation, context.principal, input);
  }

  @Query(() => CaseRequestConnectionType, {
    complexity: COMPLEXITY_OF_LARGE_ROWS,
    description:
      'All case requests of the application, newest first. Needs the administrator permission ' +
      '`cases:approve_creation`.',
  })
  disclosureRegistry(
    @Args(() => CaseRequestListArguments) input: CaseRequestListArguments,
    @Ctx() context: RequestContext,
  ) {
    return listDisclosureRegistry(this.foundation, context.principal, input);
  }

  @Query(() => CaseRequestType, {
    description:
      'A case request. Needs the same permissions as `caseRequests`. For an auditor, fails with NOT_FOUND ' +
      'if another auditor filed the request.',
  })
  caseRequest(@Args(() => CaseRequestArguments) input: CaseRequestArguments, @Ctx() context: RequestContext) {
    return findCaseRequest(this.foundation, context.principal, input);
  }

  @Query(() => AuditorCandidateConnectionType, {
    description:
      'The users who hold an auditor permission of the application now and may be proposed as auditors. Needs the ' +
      'auditor permission `cases:create` or the administrator permission `cases:approve_creation`.',
  })
  auditorCandidates(
    @Args(() => CaseChoiceArguments) input: CaseChoiceArguments,
    @Ctx() context: RequestContext,
  ) {
    return listAuditorCandidates(this.foundation, context.principal, input);
  }

  @Query(() => CaseAssetConnectionType, {
    description:
      'The assets of the application, which a case may cover. Needs the auditor permission `cases:create` or ' +
      'the administrator permission `cases:approve_creation`.',
  })
  caseAssets(@Args(() => CaseChoiceArguments) input: CaseChoiceArguments, @Ctx() context: RequestContext) {
    return listCaseAssets(this.foundation, context.principal, input);
  }

  @Mutation(() => CaseRequestType, {
    description:
      'Files a request for a case. It gives no access until it is approved. Needs the auditor permission ' +
      '`cases:create`.',
  })
  createCaseRequest(
    @Arg('input', () => CreateCaseRequestInputType, { description: 'The request.' })
    input: CreateCaseRequestInputType,
    @Ctx() context: RequestContext,
  ) {
    return createCaseRequest(this.foundation, context.principal, input);
  }

  @Mutation(() => CaseRequestType, {
    description:
      'Closes your own pending request. Fails with CONFLICT if the request is already decided. Needs the ' +
      'auditor permission `cases:withdraw_pending_request`.',
  })
  withdrawCaseRequest(
    @Arg('input', () => WithdrawCaseRequestInputType, { description: 'The request.' })
    input: WithdrawCaseRequestInputType,
    @Ctx() context: RequestContext,
  ) {
    return withdrawCaseRequest(this.foundation, context.principal, input);
  }

  @Mutation(() => CaseType, {
    description:
      'Approves a pending request, in full or in part. The request becomes a case, and the access of its ' +
      'auditors begins. Fails with CONFLICT if the request is already decided. If the organization ' +
      'requires a second person, you cannot approve your own request (FORBIDDEN). The ledger is public: ' +
      'from a day and a destination, or from the amount of a deposit, auditors may find a transaction on ' +
      'the ledger and see its sender, whatever the flags are. If the period includes today, auditors also ' +
      'see when each new transaction happens. Needs the administrator permission ' +
      '`cases:approve_creation`.',
  })
  approveCaseRequest(
    @Arg('input', () => ApproveCaseRequestInputType, {
      description: 'The request, what to grant and the reason.',
    })
    input: ApproveCaseRequestInputType,
    @Ctx() context: RequestContext,
  ) {
    return approveCaseRequest(this.foundation, context.principal, input);
  }

  @Mutation(() => CaseRequestType, {
    description:
      'Closes a pending request; no case is created. Fails with CONFLICT if the request is already ' +
      'decided. Needs the administrator permission `cases:approve_creation`.',
  })
  closeCaseRequest(
    @Arg('input', () => CloseCaseRequestInputType, { description: 'The request and the reason.' })
    input: CloseCaseRequestInputType,
    @Ctx() context: RequestContext,
  ) {
    return closeCaseRequest(this.foundation, context.principal, input);
  }
}

/** type-graphql calls `subscribe` without an instance, so the class closes over its dependencies. */
export function caseRequestChangedResolver(foundation: Foundation): object {
  @Resolver()
  class CaseRequestChangedResolver {
    @Subscription(() => CaseRequestChangedType, {
      description:
        'Sends the case requests that you may see when they are filed and decided, from the cursor `after` or ' +
        'from now on. If you missed several changes of a request, you receive the last one. Ends with ' +
        'UNAUTHENTICATED when the session ends or its permissions change. Needs the same permissions as ' +
        '`caseRequests`.',
      subscribe: ({ args, context }: { args: FollowCasesArguments; context: RequestContext }) =>
        followCaseRequests(foundation, context.principal, args),
    })
    caseRequestChanged(
      @Args(() => FollowCasesArguments) _input: FollowCasesArguments,
      @Root() changed: CaseRequestChange,
    ): CaseRequestChange {
      return changed;
    }
  }
  return new CaseRequestChangedResolver();
}
