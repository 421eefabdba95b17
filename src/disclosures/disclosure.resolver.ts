import { Arg, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Foundation } from '../database/index.js';
import type { RequestContext } from '../organizations/index.js';
import { createDisclosurePolicy } from './create-disclosure-policy.js';
import { decideDisclosure } from './decide-disclosure.js';
import type { VisibleDisclosure } from './disclosure-access.js';
import {
  CreateDisclosurePolicyInputType,
  DisclosureConnectionType,
  DisclosureDecisionEnum,
  DisclosurePolicyConnectionType,
  DisclosurePolicyType,
  DisclosureResultType,
  DisclosureStatusEnum,
  DisclosureType,
  ReceiptType,
  RequestDisclosureInputType,
} from './disclosure.type.js';
import { findDisclosure, listDisclosures, openResult } from './find-disclosure.js';
import type { Fulfilment } from './fulfilment.js';
import { listDisclosurePolicies } from './list-disclosure-policies.js';
import { findReceipt } from './receipt.js';
import { requestDisclosure } from './request-disclosure.js';

@Resolver(() => DisclosureType)
export class DisclosureResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly fulfilment: Fulfilment,
  ) {}

  @Query(() => DisclosureType, {
    description:
      'A disclosure. Needs `disclosures:read`, or `disclosures:decide` of the asset’s application, which does not show ' +
      'the result.',
  })
  disclosure(
    @Arg('id', () => String, { description: 'Id of the disclosure.' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return findDisclosure(this.foundation, context.principal, id);
  }

  @Query(() => DisclosureConnectionType, { description: 'The disclosures that you may see, newest first.' })
  disclosures(
    @Arg('first', () => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
    first: number | null | undefined,
    @Arg('after', () => String, {
      nullable: true,
      description: 'The `endCursor` of the page before, made with the same filters.',
    })
    after: string | null | undefined,
    @Arg('status', () => DisclosureStatusEnum, { nullable: true, description: 'Only those that stand so.' })
    status: string | null | undefined,
    @Arg('assetId', () => String, { nullable: true, description: 'Only those of this asset.' })
    assetId: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listDisclosures(this.foundation, context.principal, { first, after, status, assetId });
  }

  @FieldResolver(() => DisclosureResultType, {
    nullable: true,
    // Up to 10,000 records, opened whole: a listing shows few of them at once.
    complexity: 1_000,
    description: 'What was disclosed; null while `pending` or `rejected`, and to those who only decide.',
  })
  result(@Root() disclosure: VisibleDisclosure) {
    return openResult(this.foundation, disclosure);
  }

  @Mutation(() => DisclosureType, {
    description:
      'Requests confidential fields of records. The policy that the asset names decides at once: `available` with its ' +
      'result, or `rejected`. Otherwise it is `pending` until a person decides; so it is, too, when the result takes ' +
      'longer than an answer can wait. Needs `disclosures:write`.',
  })
  requestDisclosure(
    @Arg('input', () => RequestDisclosureInputType, { description: 'The request.' })
    input: RequestDisclosureInputType,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      description:
        'Your own key for this call: with the same input it answers as the first time, for 24 hours.',
    })
    idempotencyKey: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return requestDisclosure(this.foundation, this.fulfilment, context.principal, input, idempotencyKey);
  }

  @Mutation(() => DisclosureType, {
    description:
      'Decides a pending disclosure; a second decision is a CONFLICT. Needs the permission `disclosures:decide`, of ' +
      'the owner or of an administrator of the asset’s application.',
  })
  decideDisclosure(
    @Arg('id', () => String, { description: 'Id of the disclosure.' }) id: string,
    @Arg('decision', () => DisclosureDecisionEnum, { description: 'The decision.' }) decision: string,
    @Arg('reason', () => String, { nullable: true, description: 'Why, 1 to 2000 characters.' })
    reason: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return decideDisclosure(this.foundation, this.fulfilment, context.principal, { id, decision, reason });
  }

  @Query(() => ReceiptType, { description: 'The receipt of a disclosure. Needs `disclosures:read`.' })
  receipt(
    @Arg('id', () => String, { description: 'Id of the receipt.' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return findReceipt(this.foundation, context.principal, id);
  }

  @Mutation(() => DisclosurePolicyType, {
    description:
      'Makes a disclosure policy, which never changes. It decides the disclosures of every asset whose ' +
      '`disclosurePolicyId` is its id or key. Needs the owner permission `policies:manage`.',
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
  disclosurePolicies(
    @Arg('first', () => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
    first: number | null | undefined,
    @Arg('after', () => String, { nullable: true, description: 'The `endCursor` of the page before.' })
    after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listDisclosurePolicies(this.foundation, context.principal, { first, after });
  }
}
