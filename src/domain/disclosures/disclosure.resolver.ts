import { COMPLEXITY_OF_LARGE_ROWS } from '../../platform/kernel/paging/page-weight.js';
import {
  Arg,
  Args,
  Ctx,
  FieldResolver,
  ID,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import type { Foundation } from '../../platform/database/index.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import {
  createPersonOf,
  needsScope,
  type PersonOf,
  PersonType,
  type RequestContext,
} from '../access/index.js';
import { type AssetsOf, CaseAssetType, createAssetsOf } from '../assets/index.js';
import { TransactionConnectionType } from '../transactions/index.js';
import { decideDisclosure } from './decide-disclosure.js';
import type { VisibleDisclosure } from './disclosure-access.js';
import {
  DecideDisclosureInputType,
  DisclosureChangedType,
  DisclosureConnectionType,
  DisclosurePreviewType,
  DisclosureType,
  ListDisclosuresArguments,
  RequestDisclosureInputType,
  RequesterType,
} from './disclosure.type.js';
import { findDisclosure, listDisclosures } from './reading/find-disclosure.js';
import { type DisclosureChange, followDisclosures } from './reading/follow-disclosures.js';
import { createDisclosurePolicy } from './policies/create-disclosure-policy.js';
import {
  CreateDisclosurePolicyInputType,
  DisclosurePolicyConnectionType,
  DisclosurePolicyType,
  JudgingPolicyType,
} from './policies/disclosure-policy.type.js';
import { createJudgingPolicyOf, type JudgingPolicyOf } from './policies/judging-policy.js';
import { listDisclosurePolicies } from './policies/list-disclosure-policies.js';
import { listChosenRecords } from './reading/list-chosen-records.js';
import { previewDisclosure } from './reading/preview-disclosure.js';
import { requestDisclosure } from './request-disclosure.js';
import { createRequesterOf, type RequesterOf } from './reading/requester.js';
import { DisclosureResultType, ReceiptType } from './results/disclosure-result.type.js';
import type { Fulfilment } from './results/fulfilment.js';
import type { ResultReader } from './results/read-result.js';
import { findReceipt } from './results/receipt.js';

@Resolver(() => DisclosureType)
export class DisclosureResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly fulfilment: Fulfilment,
    private readonly results: ResultReader,
  ) {
    this.requesterOf = createRequesterOf(foundation);
    this.personOf = createPersonOf(foundation);
    this.assetsOf = createAssetsOf(foundation);
    this.judgingPolicyOf = createJudgingPolicyOf(foundation);
  }

  private readonly requesterOf: RequesterOf;
  private readonly personOf: PersonOf;
  private readonly assetsOf: AssetsOf;
  private readonly judgingPolicyOf: JudgingPolicyOf;

  @FieldResolver(() => RequesterType, { description: 'The user or API key that requested the disclosure.' })
  requester(@Root() { organizationId, requestedBy }: VisibleDisclosure) {
    return this.requesterOf({ organizationId, id: requestedBy });
  }

  @FieldResolver(() => PersonType, {
    nullable: true,
    description: 'The user who decided. Null before the decision, and if a policy decided.',
  })
  decider(@Root() { organizationId, decidedBy }: VisibleDisclosure) {
    return this.personOf(organizationId, decidedBy);
  }

  @FieldResolver(() => CaseAssetType, { description: 'The asset of the disclosed records.' })
  async asset(@Root() { organizationId, assetId }: VisibleDisclosure) {
    const [asset] = await this.assetsOf({ organizationId, ids: [assetId] });
    return asset;
  }

  @FieldResolver(() => JudgingPolicyType, {
    nullable: true,
    description:
      'The policy that decided, which `policyId` names too, or that left the decision to a person. Null if no ' +
      'policy existed for the asset at the time of the request, and for an API key: its requester learns no reason.',
  })
  policy(@Root() disclosure: VisibleDisclosure, @Ctx() { principal }: RequestContext) {
    return principal?.kind === 'user' ? this.judgingPolicyOf(disclosure) : null;
  }

  @FieldResolver(() => DisclosurePreviewType, {
    // Each scope is counted separately, so a listing can show the counts of only a few disclosures.
    complexity: 200,
    description: 'The records that the scope selects, in numbers. It shows no amount and no single record.',
  })
  preview(@Root() disclosure: VisibleDisclosure) {
    return previewDisclosure(this.foundation, disclosure);
  }

  @FieldResolver(() => TransactionConnectionType, {
    nullable: true,
    description:
      'The records that the scope names by their ids, in the same order, with what `transactions` shows of them. ' +
      'Null if the scope is an account. ' +
      needsScope('transactions:read'),
  })
  chosenRecords(
    @Root() disclosure: VisibleDisclosure,
    @Args(() => PageArguments) input: PageArguments,
    @Ctx() { principal }: RequestContext,
  ) {
    return listChosenRecords(this.foundation, principal, disclosure, input);
  }

  @Query(() => DisclosureType, {
    description:
      'A disclosure. Needs the scope `disclosures:read`, the owner permission `disclosures:decide`, or ' +
      'the administrator permission `disclosures:decide` in the asset’s application. An administrator ' +
      'does not see the result.',
  })
  disclosure(
    @Arg('id', () => ID, { description: 'Id of the disclosure.' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return findDisclosure(this.foundation, context.principal, id);
  }

  @Query(() => DisclosureConnectionType, {
    complexity: COMPLEXITY_OF_LARGE_ROWS,
    description:
      'The disclosures that you may see, newest first. Needs the same permissions as `disclosure`.',
  })
  disclosures(
    @Args(() => ListDisclosuresArguments) input: ListDisclosuresArguments,
    @Ctx() context: RequestContext,
  ) {
    return listDisclosures(this.foundation, context.principal, input);
  }

  @FieldResolver(() => DisclosureResultType, {
    nullable: true,
    description:
      'The result. Null while the status is `pending` or `rejected`, and for callers who may only decide.',
  })
  result(@Root() disclosure: VisibleDisclosure, @Ctx() context: RequestContext) {
    return this.results.result(context, disclosure);
  }

  @Mutation(() => DisclosureType, {
    description:
      'Requests confidential fields of records. If the asset names a policy, the policy decides at once: ' +
      'the disclosure is `available` with its result, `rejected`, or `pending` for review. Without a ' +
      'policy it is `pending` until a person decides. It is also `pending` if generating the result takes ' +
      'longer than the request can wait. ' +
      needsScope('disclosures:write'),
  })
  requestDisclosure(
    @Arg('input', () => RequestDisclosureInputType, { description: 'The request.' })
    input: RequestDisclosureInputType,
    @Ctx() context: RequestContext,
  ) {
    return requestDisclosure(this.foundation, this.fulfilment, context.principal, input);
  }

  @Mutation(() => DisclosureType, {
    description:
      'Authorizes or rejects a pending disclosure. Fails with CONFLICT if the disclosure is already ' +
      'decided. Needs the permission `disclosures:decide`, of the owner or of an administrator of the ' +
      'application of the asset.',
  })
  decideDisclosure(
    @Arg('input', () => DecideDisclosureInputType, { description: 'The disclosure and the decision.' })
    input: DecideDisclosureInputType,
    @Ctx() context: RequestContext,
  ) {
    return decideDisclosure(this.foundation, this.fulfilment, context.principal, input);
  }

  @Query(() => ReceiptType, {
    description: 'The receipt of a disclosure. ' + needsScope('disclosures:read'),
  })
  receipt(
    @Arg('id', () => ID, { description: 'Id of the receipt.' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return findReceipt(this.foundation, context.principal, id);
  }

  @Mutation(() => DisclosurePolicyType, {
    description:
      'Creates a disclosure policy. It decides about disclosures of every asset whose `disclosurePolicyId` is ' +
      'its id or key. A policy cannot be changed. Needs the owner permission `policies:manage`.',
  })
  createDisclosurePolicy(
    @Arg('input', () => CreateDisclosurePolicyInputType, { description: 'The policy.' })
    input: CreateDisclosurePolicyInputType,
    @Ctx() context: RequestContext,
  ) {
    return createDisclosurePolicy(this.foundation, context.principal, input);
  }

  @Query(() => DisclosurePolicyConnectionType, {
    description:
      'The policies of your organization, newest first. Needs the owner permission `policies:manage`.',
  })
  disclosurePolicies(@Args(() => PageArguments) input: PageArguments, @Ctx() context: RequestContext) {
    return listDisclosurePolicies(this.foundation, context.principal, input);
  }
}

/** type-graphql calls `subscribe` without an instance, so the class closes over its dependencies. */
export function disclosureChangedResolver(foundation: Foundation): object {
  interface Args {
    readonly after?: string | null;
  }

  @Resolver()
  class DisclosureChangedResolver {
    @Subscription(() => DisclosureChangedType, {
      description:
        'Sends the disclosures that you may see when they are requested, decided and made available, from the ' +
        'cursor `after` or from now on. If you missed several changes of a disclosure, you receive the last one. ' +
        'Ends with UNAUTHENTICATED when the key or the session ends or its permissions change. Needs the same ' +
        'permissions as `disclosures`.',
      subscribe: ({ args, context }: { args: Args; context: RequestContext }) =>
        followDisclosures(foundation, context.principal, args),
    })
    disclosureChanged(
      @Arg('after', () => String, {
        nullable: true,
        description: 'Send changes after this cursor of the subscription.',
      })
      _after: string | null | undefined,
      @Root() changed: DisclosureChange,
    ): DisclosureChange {
      return changed;
    }
  }
  return new DisclosureChangedResolver();
}
