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
    pending: 'Not decided yet.',
    approved: 'Approved: it became a case. Final.',
    closed: 'Closed by an administrator or withdrawn by its requester. Final.',
  },
);

const FOREIGN_ID = 'Public name of the application.';
const REQUEST_ID = 'Id of the request (`crq_…`).';

@ArgsType()
export class CaseRequestArguments {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;

  @Field(() => ID, { description: REQUEST_ID })
  id!: string;
}

@ArgsType()
export class CaseRequestListArguments extends PageArguments {
  @Field(() => String, {
    nullable: true,
    description: 'Public name of the application. By default all applications where you may see requests.',
  })
  foreignId?: string | null;

  @Field(() => CaseRequestStatusEnum, { nullable: true, description: 'Only requests with this status.' })
  status?: CaseRequestStatus | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the oldest come first. By default the newest do.',
  })
  oldestFirst?: boolean | null;
}

/** The arguments of listings that help to write a request. */
@ArgsType()
export class CaseChoiceArguments extends PageArguments {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;
}

@ObjectType('CaseRequest', { description: 'An auditor’s request for a case.' })
export class CaseRequestType extends CaseParameters {
  @Field(() => ID, { description: 'Id (`crq_…`).' })
  id!: string;

  @Field(() => CaseRequestStatusEnum, { description: 'Its status.' })
  status!: CaseRequestStatus;

  @Field(() => Boolean, { description: 'Whether it was closed by its requester.' })
  withdrawn!: boolean;

  @Field(() => PersonType, { description: 'Who filed it.' })
  requestedBy!: PersonType;

  @Field(() => [ID], { description: 'Ids of the proposed auditors.' })
  auditorIds!: string[];

  @Field(() => GraphQLDateTimeISO, { description: 'When it was filed.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When it was approved, closed or withdrawn.',
  })
  decidedAt!: Date | null;

  @Field(() => ID, { nullable: true, description: 'Id of the user who approved, closed or withdrew it.' })
  decidedBy!: string | null;

  @Field(() => PersonType, { nullable: true, description: 'Who approved, closed or withdrew it.' })
  decider!: PersonType | null;

  @Field(() => String, { nullable: true, description: 'The reason given for the decision.' })
  decisionReason!: string | null;

  @Field(() => ID, { nullable: true, description: 'The case that it became (`cas_…`).' })
  caseId!: string | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'The instant at which the access of that case ends, or ended. Null without a case.',
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

  @Field(() => String, { description: 'Name.' })
  name!: string;
}

export const AuditorCandidateConnectionType = connectionType('AuditorCandidate', () => AuditorCandidateType);

export const CaseAssetConnectionType = connectionType('CaseAsset', () => CaseAssetType);

@ObjectType('CasePreviewType', { description: 'How many transactions of a type a request covers now.' })
class CasePreviewTypeType {
  @Field(() => CaseTransactionTypeEnum, { description: 'The type.' })
  type!: CaseTransactionType;

  @Field(() => GraphQLSafeInt, { description: 'Number of transactions.' })
  count!: number;
}

@ObjectType('CasePreviewAsset', { description: 'How many transactions of an asset a request covers now.' })
class CasePreviewAssetType {
  @Field(() => ID, { description: 'The asset (`ast_…`).' })
  assetId!: string;

  @Field(() => GraphQLSafeInt, { description: 'Number of transactions.' })
  count!: number;
}

@ObjectType('CaseRequestPreview', {
  description: 'What the approval of a request would show, as of now: numbers and times, no amounts.',
})
export class CaseRequestPreviewType {
  @Field(() => GraphQLSafeInt, { description: 'Number of transactions.' })
  transactions!: number;

  @Field(() => [CasePreviewTypeType], { description: 'Number of transactions for each type that has any.' })
  byType!: CasePreviewTypeType[];

  @Field(() => [CasePreviewAssetType], { description: 'Number of transactions for each asset that has any.' })
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

@InputType('CreateCaseRequestInput', { description: 'A case to request.' })
export class CreateCaseRequestInputType {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;

  @Field(() => String, { description: 'Why it is needed, 1 to 2000 characters.' })
  reason!: string;

  @Field(() => GraphQLLocalDate, { description: 'The first day to cover (UTC).' })
  periodFrom!: string;

  @Field(() => GraphQLLocalDate, { description: 'The last day to cover, to its end (UTC).' })
  periodTo!: string;

  @Field(() => Int, { description: 'Days of access after the approval, 1 to 3650.' })
  accessDays!: number;

  @Field(() => DisclosureFlagsInputType, { description: 'What to show beyond amounts and days.' })
  disclosureFlags!: DisclosureFlagsInputType;

  @Field(() => [ID], {
    description: 'The auditors to assign, 1 to 100: users who hold an auditor permission of the application.',
  })
  auditorIds!: string[];

  @Field(() => [ID], {
    nullable: true,
    description:
      'Assets of the application, 1 to 1,000. By default all that it has now; assets that it gets later are not covered.',
  })
  assetIds?: string[] | null;
}

@InputType('WithdrawCaseRequestInput', { description: 'The request to withdraw.' })
export class WithdrawCaseRequestInputType {
  @Field(() => String, { description: FOREIGN_ID })
  foreignId!: string;

  @Field(() => ID, { description: REQUEST_ID })
  id!: string;
}

@InputType('CloseCaseRequestInput', { description: 'The request to close.' })
export class CloseCaseRequestInputType extends WithdrawCaseRequestInputType {
  @Field(() => String, { nullable: true, description: 'Why, 1 to 2000 characters.' })
  reason?: string | null;
}

@InputType('CaseGrantInput', {
  description:
    'What an approval grants. Each member is within what was asked for; one that is left out is granted as asked.',
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
      'What to show beyond amounts and days. A flag that is left out is granted as asked; false withholds it.',
  })
  disclosureFlags?: DisclosureFlagsInputType | null;

  @Field(() => [ID], { nullable: true, description: 'At least one of the proposed auditors.' })
  auditorIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'At least one of the assets that were asked for.' })
  assetIds?: string[] | null;
}

@InputType('ApproveCaseRequestInput', { description: 'The request to approve.' })
export class ApproveCaseRequestInputType extends CloseCaseRequestInputType {
  @Field(() => CaseGrantInputType, {
    nullable: true,
    description: 'What to grant, where it is less than was asked for.',
  })
  grant?: CaseGrantInputType | null;
}
