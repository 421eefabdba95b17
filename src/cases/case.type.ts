import { GraphQLDateTimeISO, GraphQLLocalDate } from 'graphql-scalars';
import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../kernel/connection.type.js';
import { CASE_REQUEST_STATUSES, type CaseRequestStatus } from './case-request-state.js';
import { CASE_STATUSES, type CaseStatus } from './case-window.js';

const enumOf = <Value extends string>(values: readonly Value[]) =>
  Object.fromEntries(values.map((value) => [value, value]));

export const CaseRequestStatusEnum = enumOf(CASE_REQUEST_STATUSES);
registerEnumType(CaseRequestStatusEnum, {
  name: 'CaseRequestStatus',
  description: 'Where a case request stands.',
  valuesConfig: {
    pending: { description: 'Not decided yet.' },
    approved: { description: 'A case was made of it. Final.' },
    closed: { description: 'Closed by an administrator or withdrawn by its requester. Final.' },
  },
});

export const CaseStatusEnum = enumOf(CASE_STATUSES);
registerEnumType(CaseStatusEnum, {
  name: 'CaseStatus',
  description: 'Whether the window of a case is open.',
  valuesConfig: {
    active: { description: 'Its auditors have access.' },
    expired: { description: 'Its auditors have no access any more; administrators still see it. Final.' },
  },
});

@ObjectType('DisclosureFlags', {
  description:
    'What the auditors of a case are shown beyond amounts and times. What is not granted is masked.',
})
export class DisclosureFlagsType {
  @Field(() => Boolean, { description: 'Full ids and signatures of transactions; otherwise shortened.' })
  fullTxIds!: boolean;

  @Field(() => Boolean, { description: 'The sender’s addresses and identity.' })
  senderInformation!: boolean;

  @Field(() => Boolean, { description: 'Amounts and destinations of withdrawals.' })
  withdrawalDetails!: boolean;
}

@ObjectType('CasePerson', { description: 'A person who works on a case.' })
export class CasePersonType {
  @Field(() => String, { description: 'Id of the user (`usr_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => String, { description: 'E-mail address.' })
  email!: string;
}

@ObjectType({ description: 'What was asked for, and is granted by an approval.' })
abstract class CaseParameters {
  @Field(() => String, { description: 'Why the auditor needs it.' })
  reason!: string;

  @Field(() => GraphQLLocalDate, { description: 'The first day that is covered (UTC).' })
  periodFrom!: string;

  @Field(() => GraphQLLocalDate, { description: 'The last day that is covered, to its end (UTC).' })
  periodTo!: string;

  @Field(() => Int, { description: 'Days of access after the approval, 24 hours each.' })
  accessDays!: number;

  @Field(() => DisclosureFlagsType, { description: 'What is shown beyond amounts and times.' })
  disclosureFlags!: DisclosureFlagsType;

  @Field(() => [CasePersonType], { description: 'The auditors, in the order of their ids.' })
  auditors!: CasePersonType[];

  @Field(() => [String], { description: 'The assets whose transactions are covered (`ast_…`).' })
  assetIds!: string[];
}

@ObjectType('CaseRequest', { description: 'An auditor’s request for a case.' })
export class CaseRequestType extends CaseParameters {
  @Field(() => String, { description: 'Id (`crq_…`).' })
  id!: string;

  @Field(() => CaseRequestStatusEnum, { description: 'Where it stands.' })
  status!: CaseRequestStatus;

  @Field(() => Boolean, { description: 'Whether it was closed by its requester.' })
  withdrawn!: boolean;

  @Field(() => CasePersonType, { description: 'Who filed it.' })
  requestedBy!: CasePersonType;

  @Field(() => [String], { description: 'Ids of the proposed auditors.' })
  auditorIds!: string[];

  @Field(() => GraphQLDateTimeISO, { description: 'When it was filed.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When it was approved, closed or withdrawn.',
  })
  decidedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Id of the user who did so.' })
  decidedBy!: string | null;

  @Field(() => String, { nullable: true, description: 'The reason given for the decision.' })
  decisionReason!: string | null;

  @Field(() => String, { nullable: true, description: 'The case that was made of it (`cas_…`).' })
  caseId!: string | null;
}

@ObjectType('Case', {
  description: 'Access of assigned auditors to an application’s transactions, for a time and within a scope.',
})
export class CaseType extends CaseParameters {
  @Field(() => String, { description: 'Id (`cas_…`).' })
  id!: string;

  @Field(() => String, { description: 'The request it was made of (`crq_…`).' })
  requestId!: string;

  @Field(() => CaseStatusEnum, { description: 'Whether its window is open, at the moment of the answer.' })
  status!: CaseStatus;

  @Field(() => String, { description: 'Id of the user who approved it.' })
  approvedBy!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was approved, and access began.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'The instant at which access ends.' })
  expiresAt!: Date;

  @Field(() => Int, {
    description: 'Seconds until then, begun ones counted, at the moment of the answer; 0 once it is expired.',
  })
  secondsLeft!: number;
}

export const CaseRequestConnectionType = connectionType('CaseRequest', () => CaseRequestType);
export const CaseConnectionType = connectionType('Case', () => CaseType);

@ObjectType('AuditorCandidate', { description: 'Someone who may be proposed as an auditor of a case.' })
export class AuditorCandidateType {
  @Field(() => String, { description: 'Id of the user (`usr_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;
}

export const AuditorCandidateConnectionType = connectionType('AuditorCandidate', () => AuditorCandidateType);

@ObjectType('CaseAsset', { description: 'An asset of an application, as its auditors know it.' })
export class CaseAssetType {
  @Field(() => String, { description: 'Id (`ast_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => String, { description: 'Ticker symbol.' })
  symbol!: string;

  @Field(() => Int, { description: 'Decimals of its base unit.' })
  decimals!: number;
}

export const CaseAssetConnectionType = connectionType('CaseAsset', () => CaseAssetType);

@ObjectType('CaseRequestChanged', {
  description: 'A request as its last change left it, with the cursor to go on behind that.',
})
export class CaseRequestChangedType {
  @Field(() => String, { description: 'Pass it as `after` to go on behind this change.' })
  cursor!: string;

  @Field(() => CaseRequestType, { description: 'The request.' })
  request!: CaseRequestType;
}

@ObjectType('CaseChanged', { description: 'A case that was made, with the cursor to go on behind it.' })
export class CaseChangedType {
  @Field(() => String, { description: 'Pass it as `after` to go on behind this change.' })
  cursor!: string;

  @Field(() => CaseType, { description: 'The case.' })
  case!: CaseType;
}

@InputType('DisclosureFlagsInput', { description: 'What shall be shown. An omitted flag is not granted.' })
export class DisclosureFlagsInputType {
  @Field(() => Boolean, { nullable: true, description: 'Full ids and signatures of transactions.' })
  fullTxIds?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'The sender’s addresses and identity.' })
  senderInformation?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Amounts and destinations of withdrawals.' })
  withdrawalDetails?: boolean | null;
}

@InputType('CreateCaseRequestInput', { description: 'A case to ask for.' })
export class CreateCaseRequestInputType {
  @Field(() => String, { description: 'Why it is needed, 1 to 2000 characters.' })
  reason!: string;

  @Field(() => GraphQLLocalDate, { description: 'The first day to cover (UTC).' })
  periodFrom!: string;

  @Field(() => GraphQLLocalDate, { description: 'The last day to cover, to its end (UTC).' })
  periodTo!: string;

  @Field(() => Int, { description: 'Days of access after the approval, 1 to 3650.' })
  accessDays!: number;

  @Field(() => DisclosureFlagsInputType, { description: 'What shall be shown beyond amounts and times.' })
  disclosureFlags!: DisclosureFlagsInputType;

  @Field(() => [String], {
    description: 'The auditors to assign, 1 to 100: users who hold an auditor permission of the application.',
  })
  auditorIds!: string[];

  @Field(() => [String], {
    nullable: true,
    description:
      'Assets of the application, 1 to 1,000. Absent: all that it has now; those that it gets later are not covered.',
  })
  assetIds?: string[] | null;
}
