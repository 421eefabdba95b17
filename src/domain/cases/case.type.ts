import { GraphQLDateTimeISO, GraphQLLocalDate } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../platform/kernel/enums/enum.type.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import { PersonType } from '../access/index.js';
import type { CaseStatus } from './case-window.js';

const CaseStatusEnum = graphqlEnum<CaseStatus>('CaseStatus', 'Whether the window of a case is open.', {
  active: 'Its auditors have access.',
  expired: 'Its auditors have no access anymore. Administrators still see it. Final.',
});

/** The application and a thing of it: the arguments of fields that read one. */
@ArgsType()
export class CaseArguments {
  @Field(() => String, { description: 'Public name of the application.' })
  foreignId!: string;

  @Field(() => ID, { description: 'Id of the case (`cas_…`).' })
  id!: string;
}

@ArgsType()
export class CaseListArguments extends PageArguments {
  @Field(() => String, {
    nullable: true,
    description: 'Public name of the application. By default all applications where you may see cases.',
  })
  foreignId?: string | null;

  @Field(() => CaseStatusEnum, { nullable: true, description: 'Only cases with this status.' })
  status?: CaseStatus | null;
}

/** The arguments of the two subscriptions of this room. */
@ArgsType()
export class FollowCasesArguments {
  @Field(() => String, {
    nullable: true,
    description: 'Public name of the application. By default all applications where you may see some.',
  })
  foreignId?: string | null;

  @Field(() => String, { nullable: true, description: 'Send changes after this cursor of the subscription.' })
  after?: string | null;
}

const FLAGS = {
  fullTxIds: 'Ids, signatures, slots and exact times of transactions.',
  senderInformation: 'The sender’s addresses and identity.',
  withdrawalDetails: 'Amounts and destinations of withdrawals.',
} as const;

@ObjectType('DisclosureFlags', {
  description: 'What the auditors of a case see beyond amounts and days. What is not granted is masked.',
})
export class DisclosureFlagsType {
  @Field(() => Boolean, { description: FLAGS.fullTxIds })
  fullTxIds!: boolean;

  @Field(() => Boolean, { description: FLAGS.senderInformation })
  senderInformation!: boolean;

  @Field(() => Boolean, { description: FLAGS.withdrawalDetails })
  withdrawalDetails!: boolean;
}

@InputType('DisclosureFlagsInput', {
  description:
    'What to show beyond amounts and days. A flag that is left out is false in a request; in an approval it stays as requested.',
})
export class DisclosureFlagsInputType {
  @Field(() => Boolean, { nullable: true, description: FLAGS.fullTxIds })
  fullTxIds?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: FLAGS.senderInformation })
  senderInformation?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: FLAGS.withdrawalDetails })
  withdrawalDetails?: boolean | null;
}

@ObjectType('CaseParameters', { description: 'What a request asks for and an approval grants.' })
export class CaseParameters {
  @Field(() => String, { description: 'Why the auditor needs it.' })
  reason!: string;

  @Field(() => GraphQLLocalDate, { description: 'The first day that is covered (UTC).' })
  periodFrom!: string;

  @Field(() => GraphQLLocalDate, { description: 'The last day that is covered, to its end (UTC).' })
  periodTo!: string;

  @Field(() => Int, { description: 'Days of access after the approval, 24 hours each.' })
  accessDays!: number;

  @Field(() => DisclosureFlagsType, { description: 'What is shown beyond amounts and days.' })
  disclosureFlags!: DisclosureFlagsType;

  @Field(() => [PersonType], { description: 'The auditors, in the order of their ids.' })
  auditors!: PersonType[];

  @Field(() => [ID], { description: 'The assets whose transactions are covered (`ast_…`).' })
  assetIds!: string[];
}

@ObjectType('Case', {
  description: 'Access of assigned auditors to an application’s transactions, for a limited time and scope.',
})
export class CaseType extends CaseParameters {
  @Field(() => ID, { description: 'Id (`cas_…`).' })
  id!: string;

  @Field(() => ID, { description: 'The request that was approved (`crq_…`).' })
  requestId!: string;

  @Field(() => CaseStatusEnum, { description: 'Whether its window is open at the moment of the answer.' })
  status!: CaseStatus;

  @Field(() => ID, { description: 'Id of the user who approved it.' })
  approvedBy!: string;

  @Field(() => PersonType, { description: 'Who approved it.' })
  approver!: PersonType;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was approved and access began.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'The instant at which access ends.' })
  expiresAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      'When an administrator ended it before its time; `expiresAt` is then the same instant. Null if none did.',
  })
  endedAt!: Date | null;

  @Field(() => PersonType, {
    nullable: true,
    description: 'Who ended it before its time. Null if it was not ended early.',
  })
  ender!: PersonType | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why it was ended before its time. Null if it was not ended early.',
  })
  endReason!: string | null;

  @Field(() => Int, {
    description: 'Seconds of access left at the moment of the answer, rounded up; 0 once it is expired.',
  })
  secondsLeft!: number;
}

export const CaseConnectionType = connectionType('Case', () => CaseType);

@ObjectType('CaseChanged', { description: 'A case that was created.' })
export class CaseChangedType {
  @Field(() => String, { description: 'Pass it as `after` to receive the changes after this one.' })
  cursor!: string;

  @Field(() => CaseType, { description: 'The case.' })
  case!: CaseType;
}

@InputType('EndCaseInput', { description: 'A case to end before its time.' })
export class EndCaseInputType {
  @Field(() => String, { description: 'Public name of the application.' })
  foreignId!: string;

  @Field(() => ID, { description: 'Id of the case (`cas_…`).' })
  id!: string;

  @Field(() => String, { description: 'Why, 1 to 2000 characters.' })
  reason!: string;
}

@InputType('ChangeCaseAuditorInput', { description: 'An auditor to assign to a case, or to remove from it.' })
export class ChangeCaseAuditorInputType extends EndCaseInputType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`).' })
  auditorId!: string;
}
