import { GraphQLDateTimeISO, GraphQLLocalDate, GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionType, countedConnectionType } from '../../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';
import { PageArguments } from '../../../platform/kernel/paging/page-arguments.type.js';
import { PersonType } from '../../access/index.js';
import { CaseAssetType } from '../../assets/index.js';
import { CaseParameters, DisclosureFlagsInputType } from '../case.type.js';
import type { CaseTransactionType } from '../records/case-transaction-types.js';
import { CaseTransactionTypeEnum } from '../records/case-transaction.type.js';
import type { CaseRequestStatus } from './case-request-state.js';

const CaseRequestStatusEnum = graphqlEnum<CaseRequestStatus>(
  'CaseRequestStatus',
  'The status of a case request.',
  {
    pending: 'The request is not decided yet.',
    approved: 'The request was approved and became a case. Final.',
    closed: 'The request was closed by an administrator or withdrawn by its requester. Final.',
  },
);

const FOREIGN_ID = 'The foreignId of the application.';
const REQUEST_ID = 'Id of the request (`crq_…`).';

@ArgsType()
export class CaseRequestArguments {
  @Field(() => String, {
    nullable: true,
    description:
      'The foreignId of the application. By default any application where you may see the request.',
  })
  foreignId?: string | null;

  @Field(() => ID, { description: REQUEST_ID })
  id!: string;
}

@ArgsType()
export class CaseRequestListArguments extends PageArguments {
  @Field(() => String, {
    nullable: true,
    description: 'The foreignId of the application. By default all applications where you may see requests.',
  })
  foreignId?: string | null;

  @Field(() => CaseRequestStatusEnum, { nullable: true, description: 'Only requests with this status.' })
  status?: CaseRequestStatus | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to return the oldest first. By default the newest come first.',
  })
  oldestFirst?: boolean | null;
}

/** The arguments of listings that help a person write a request. */
@ArgsType()
export class CaseChoiceArguments extends PageArguments {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;
}

@ObjectType('CaseRequest', { description: 'An auditor’s request for a case.' })
export class CaseRequestType extends CaseParameters {
  @Field(() => ID, { description: 'Id of the request (`crq_…`).' })
  id!: string;

  @Field(() => CaseRequestStatusEnum, { description: 'The status of the request.' })
  status!: CaseRequestStatus;

  @Field(() => Boolean, { description: 'Whether the requester withdrew the request.' })
  withdrawn!: boolean;

  @Field(() => PersonType, { description: 'The auditor who filed the request.' })
  requestedBy!: PersonType;

  @Field(() => [ID], { description: 'Ids of the proposed auditors.' })
  auditorIds!: string[];

  @Field(() => GraphQLDateTimeISO, { description: 'When the request was filed.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the request was approved, closed or withdrawn. Null while it is pending.',
  })
  decidedAt!: Date | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the user who approved, closed or withdrew the request (`usr_…`). Null while it is pending.',
  })
  decidedBy!: string | null;

  @Field(() => PersonType, {
    nullable: true,
    description: 'The user who approved, closed or withdrew the request. Null while it is pending.',
  })
  decider!: PersonType | null;

  @Field(() => String, {
    nullable: true,
    description: 'The reason for the decision. Null if none was given.',
  })
  decisionReason!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the case that the approval created (`cas_…`). Null if the request is not approved.',
  })
  caseId!: string | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the access of the approved case ends or ended. Null if the request is not approved.',
  })
  caseEndsAt!: Date | null;
}

export const CaseRequestConnectionType = countedConnectionType('CaseRequest', () => CaseRequestType);

@ObjectType('CaseRequestChanged', { description: 'A request after its last change.' })
export class CaseRequestChangedType {
  @Field(() => String, { description: 'Pass it as `after` to receive the changes after this one.' })
  cursor!: string;

  @Field(() => CaseRequestType, { description: 'The request.' })
  request!: CaseRequestType;
}

@ObjectType('AuditorCandidate', { description: 'A person who may be proposed as an auditor of a case.' })
class AuditorCandidateType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`).' })
  id!: string;

  @Field(() => String, { description: 'The name of the user.' })
  name!: string;
}

export const AuditorCandidateConnectionType = connectionType('AuditorCandidate', () => AuditorCandidateType);

export const CaseAssetConnectionType = connectionType('CaseAsset', () => CaseAssetType);

@ObjectType('CasePreviewType', {
  description: 'The number of transactions of one type that a request covers now.',
})
class CasePreviewTypeType {
  @Field(() => CaseTransactionTypeEnum, { description: 'The type of the transactions.' })
  type!: CaseTransactionType;

  @Field(() => GraphQLSafeInt, { description: 'The number of transactions.' })
  count!: number;
}

@ObjectType('CasePreviewAsset', {
  description: 'The number of an asset’s transactions that a request covers now.',
})
class CasePreviewAssetType {
  @Field(() => ID, { description: 'Id of the asset (`ast_…`).' })
  assetId!: string;

  @Field(() => GraphQLSafeInt, { description: 'The number of transactions.' })
  count!: number;
}

@ObjectType('CaseRequestPreview', {
  description: 'What a case would show if its request were approved now: numbers and times, no amounts.',
})
export class CaseRequestPreviewType {
  @Field(() => GraphQLSafeInt, { description: 'The number of transactions.' })
  transactions!: number;

  @Field(() => [CasePreviewTypeType], { description: 'The number of transactions of each type that occurs.' })
  byType!: CasePreviewTypeType[];

  @Field(() => [CasePreviewAssetType], {
    description: 'The number of transactions of each asset that has any.',
  })
  byAsset!: CasePreviewAssetType[];

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'Block time of the earliest transaction that the request covers now, in Unix seconds. Null if it covers none.',
  })
  earliest!: number | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'Block time of the latest transaction that the request covers now, in Unix seconds. Null if it covers none.',
  })
  latest!: number | null;
}

@InputType('CreateCaseRequestInput', { description: 'A request for a case.' })
export class CreateCaseRequestInputType {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;

  @Field(() => String, { description: 'The reason why you need access, 1 to 2000 characters.' })
  reason!: string;

  @Field(() => GraphQLLocalDate, { description: 'The first day to cover (UTC).' })
  periodFrom!: string;

  @Field(() => GraphQLLocalDate, { description: 'The last day to cover, to its end (UTC).' })
  periodTo!: string;

  @Field(() => Int, { description: 'Days of access after the approval, 1 to 3650.' })
  accessDays!: number;

  @Field(() => DisclosureFlagsInputType, { description: 'What to show in addition to amounts and days.' })
  disclosureFlags!: DisclosureFlagsInputType;

  @Field(() => [ID], {
    description: 'The auditors to assign, 1 to 100: users who hold an auditor permission of the application.',
  })
  auditorIds!: string[];

  @Field(() => [ID], {
    nullable: true,
    description:
      'The assets to cover, 1 to 1,000. By default all assets that the application has now; assets that are ' +
      'assigned to it later are not covered.',
  })
  assetIds?: string[] | null;
}

@InputType('WithdrawCaseRequestInput', { description: 'The case request to withdraw.' })
export class WithdrawCaseRequestInputType {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;

  @Field(() => ID, { description: REQUEST_ID })
  id!: string;
}

@InputType('CloseCaseRequestInput', { description: 'The case request to close.' })
export class CloseCaseRequestInputType extends WithdrawCaseRequestInputType {
  @Field(() => String, { nullable: true, description: 'The reason, 1 to 2000 characters.' })
  reason?: string | null;
}

@InputType('CaseGrantInput', {
  description:
    'What an approval grants. Each member must be within what was requested. A member that is left out is ' +
    'granted as requested.',
})
class CaseGrantInputType {
  @Field(() => GraphQLLocalDate, { nullable: true, description: 'The first day to cover (UTC).' })
  periodFrom?: string | null;

  @Field(() => GraphQLLocalDate, { nullable: true, description: 'The last day to cover, to its end (UTC).' })
  periodTo?: string | null;

  @Field(() => Int, { nullable: true, description: 'Days of access, 24 hours each.' })
  accessDays?: number | null;

  @Field(() => DisclosureFlagsInputType, {
    nullable: true,
    description:
      'What to show in addition to amounts and days. A flag that is left out is granted as requested; false ' +
      'withholds it.',
  })
  disclosureFlags?: DisclosureFlagsInputType | null;

  @Field(() => [ID], {
    nullable: true,
    description: 'The auditors to assign: at least one, and only proposed ones.',
  })
  auditorIds?: string[] | null;

  @Field(() => [ID], {
    nullable: true,
    description: 'The assets to grant: at least one, and only requested ones.',
  })
  assetIds?: string[] | null;
}

@InputType('ApproveCaseRequestInput', { description: 'The case request to approve, and what to grant.' })
export class ApproveCaseRequestInputType extends CloseCaseRequestInputType {
  @Field(() => CaseGrantInputType, {
    nullable: true,
    description:
      'What to grant, if it is less than what was requested. By default everything that was requested.',
  })
  grant?: CaseGrantInputType | null;
}
