import { GraphQLDateTimeISO, GraphQLLocalDate } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../platform/kernel/enums/enum.type.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import { PersonType } from '../access/index.js';
import type { CaseStatus } from './case-window.js';

const CaseStatusEnum = graphqlEnum<CaseStatus>('CaseStatus', 'Whether the auditors of a case have access.', {
  active: 'The auditors of the case have access.',
  expired: 'The auditors of the case no longer have access. Administrators can still see the case. Final.',
});

export const CASE_ID = 'Id of the case (`cas_…`).';

/** An application and an object in it: the arguments of fields that read one object. */
@ArgsType()
export class CaseArguments {
  @Field(() => String, {
    nullable: true,
    description: 'The foreignId of the application. By default any application where you may see the case.',
  })
  foreignId?: string | null;

  @Field(() => ID, { description: CASE_ID })
  id!: string;
}

@ArgsType()
export class CaseListArguments extends PageArguments {
  @Field(() => String, {
    nullable: true,
    description: 'The foreignId of the application. By default all applications where you may see cases.',
  })
  foreignId?: string | null;

  @Field(() => CaseStatusEnum, { nullable: true, description: 'Only cases with this status.' })
  status?: CaseStatus | null;
}

/** The arguments of the subscriptions of this room. */
@ArgsType()
export class FollowCasesArguments {
  @Field(() => String, {
    nullable: true,
    description: 'The foreignId of the application. By default all applications where you may see some.',
  })
  foreignId?: string | null;

  @Field(() => String, { nullable: true, description: 'Send changes after this cursor of the subscription.' })
  after?: string | null;
}

const FLAGS = {
  fullTxIds: 'The ids, signatures and exact times of transactions.',
  senderInformation: 'The source account, the authority and the signer, which identify the sender.',
  withdrawalDetails: 'The amounts and destinations of withdrawals.',
} as const;

@ObjectType('DisclosureFlags', {
  description:
    'What the auditors of a case see in addition to amounts and days. The case masks what is not granted.',
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
    'What to show in addition to amounts and days. In a request, a flag that is left out is false. In an ' +
    'approval, it stays as requested.',
})
export class DisclosureFlagsInputType {
  @Field(() => Boolean, { nullable: true, description: FLAGS.fullTxIds })
  fullTxIds?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: FLAGS.senderInformation })
  senderInformation?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: FLAGS.withdrawalDetails })
  withdrawalDetails?: boolean | null;
}

@ObjectType('CaseParameters', {
  description: 'The parameters of a case: what a request asks for, or what an approval grants.',
})
export class CaseParameters {
  @Field(() => String, { description: 'The reason why the auditor needs access.' })
  reason!: string;

  @Field(() => GraphQLLocalDate, { description: 'The first day that is covered (UTC).' })
  periodFrom!: string;

  @Field(() => GraphQLLocalDate, { description: 'The last day that is covered, to its end (UTC).' })
  periodTo!: string;

  @Field(() => Int, { description: 'Days of access after the approval, 24 hours each.' })
  accessDays!: number;

  @Field(() => DisclosureFlagsType, { description: 'What is shown in addition to amounts and days.' })
  disclosureFlags!: DisclosureFlagsType;

  @Field(() => [PersonType], {
    description:
      'The auditors, sorted by id: those that a request proposes, or those that are assigned to a case.',
  })
  auditors!: PersonType[];

  @Field(() => [ID], { description: 'The assets whose transactions are covered (`ast_…`).' })
  assetIds!: string[];
}

@ObjectType('Case', {
  description:
    'Access of assigned auditors to the transactions of an application, for a limited time and scope.',
})
export class CaseType extends CaseParameters {
  @Field(() => ID, { description: 'Id of the case (`cas_…`).' })
  id!: string;

  @Field(() => ID, { description: 'Id of the approved request (`crq_…`).' })
  requestId!: string;

  @Field(() => CaseStatusEnum, {
    description: 'Whether the case is active or expired at the time of the answer.',
  })
  status!: CaseStatus;

  @Field(() => ID, { description: 'Id of the user who approved the request (`usr_…`).' })
  approvedBy!: string;

  @Field(() => PersonType, { description: 'The user who approved the request.' })
  approver!: PersonType;

  @Field(() => GraphQLDateTimeISO, { description: 'When the request was approved and access began.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When access ends.' })
  expiresAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      'When an administrator ended the case early; `expiresAt` is then the same time. Null if it was not ended ' +
      'early.',
  })
  endedAt!: Date | null;

  @Field(() => PersonType, {
    nullable: true,
    description: 'The administrator who ended the case early. Null if it was not ended early.',
  })
  ender!: PersonType | null;

  @Field(() => String, {
    nullable: true,
    description: 'The reason for ending the case early. Null if it was not ended early.',
  })
  endReason!: string | null;

  @Field(() => Int, {
    description:
      'The number of seconds of access left when the answer was made, rounded up. 0 once the case has expired.',
  })
  secondsLeft!: number;
}

export const CaseConnectionType = connectionType('Case', () => CaseType);

@ObjectType('CaseChanged', { description: 'A case after its last change.' })
export class CaseChangedType {
  @Field(() => String, { description: 'Pass it as `after` to receive the changes after this one.' })
  cursor!: string;

  @Field(() => CaseType, { description: 'The case.' })
  case!: CaseType;
}

@InputType('EndCaseInput', { description: 'A case to end early.' })
export class EndCaseInputType {
  @Field(() => String, { description: 'The foreignId of the application.' })
  foreignId!: string;

  @Field(() => ID, { description: 'Id of the case (`cas_…`).' })
  id!: string;

  @Field(() => String, { description: 'The reason, 1 to 2000 characters.' })
  reason!: string;
}

@InputType('ChangeCaseAuditorInput', {
  description: 'A case, and the auditor to assign to it or remove from it.',
})
export class ChangeCaseAuditorInputType extends EndCaseInputType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`).' })
  auditorId!: string;
}
