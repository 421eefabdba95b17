import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { IDEMPOTENCY_KEY } from '../../platform/database/index.js';
import { countedConnectionType } from '../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../platform/kernel/enums/enum.type.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import type { ConfidentialEventType } from '../../platform/ledger/index.js';
import { ConfidentialEventTypeEnum } from '../transactions/index.js';
import type { DisclosureField } from './disclosure-scope.js';
import type { DisclosureDecision, DisclosureStatus } from './disclosure-state.js';
import type { DisclosureFormat } from './policies/disclosure-rules.js';

const DisclosureStatusEnum = graphqlEnum<DisclosureStatus>(
  'DisclosureStatus',
  'The status of a disclosure.',
  {
    pending: 'The disclosure is not decided yet, or it is authorized and its result is being generated.',
    available: 'The disclosure is authorized and its result exists. Final.',
    rejected: 'The disclosure is not authorized. There is no result. Final.',
  },
);

const DisclosureDecisionEnum = graphqlEnum<DisclosureDecision>(
  'DisclosureDecision',
  'A decision about a disclosure.',
  {
    authorize: 'Discloses the records that the scope selects at the time of the decision.',
    reject: 'Discloses nothing.',
  },
);

export const DisclosureFormatEnum = graphqlEnum<DisclosureFormat>(
  'DisclosureFormat',
  'The format of the `content` of a disclosure result.',
  { json: 'The records as JSON text.', csv: 'CSV (RFC 4180) with a header row.' },
);

export const DisclosureFieldEnum = graphqlEnum<DisclosureField>(
  'DisclosureField',
  'A confidential field of a record.',
  {
    amount: 'The amount of the instruction.',
    fee:
      'The fee of a transfer. Token-2022 does not encrypt the fee to the auditor key, so records with a fee ' +
      'list it in `unavailable`.',
  },
);

@ObjectType('DisclosureScope', {
  description:
    'The records and confidential fields of a disclosure: chosen records, or the records of an account in a ' +
    'period.',
})
export class DisclosureScopeType {
  @Field(() => [ID], {
    nullable: true,
    description: 'The ids of the chosen records (`txn_…`). Null if the scope is an account.',
  })
  transactionIds!: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token account, as source or destination (base58). Null if records were chosen by id.',
  })
  account!: string | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'The earliest block time, inclusive. Null if the period has no beginning.',
  })
  from!: Date | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'The latest block time, inclusive. Null if the period has no end.',
  })
  to!: Date | null;

  @Field(() => [DisclosureFieldEnum], { description: 'The confidential fields.' })
  fields!: DisclosureField[];
}

@ObjectType('Disclosure', {
  description:
    'A disclosure of confidential fields: the request, its decision and, once authorized, its result.',
})
export class DisclosureType {
  @Field(() => ID, { description: 'Id of the disclosure (`dsc_…`).' })
  id!: string;

  @Field(() => ID, { description: 'Id of the asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, { description: 'The business or compliance reason for the disclosure.' })
  purpose!: string;

  @Field(() => DisclosureScopeType, {
    description:
      'The requested records and fields. The scope selects the records that are indexed when the disclosure is ' +
      'authorized. A period selects no records without a block time.',
  })
  scope!: DisclosureScopeType;

  @Field(() => DisclosureFormatEnum, { description: 'The requested format.' })
  format!: DisclosureFormat;

  @Field(() => DisclosureStatusEnum, { description: 'The status of the disclosure.' })
  status!: DisclosureStatus;

  @Field(() => String, {
    nullable: true,
    description: 'The requester’s own identifier for the disclosure. Null if none was given.',
  })
  externalReference!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When the disclosure was requested.' })
  requestedAt!: Date;

  @Field(() => DisclosureDecisionEnum, {
    nullable: true,
    description: 'The decision. Null before the decision.',
  })
  decision!: DisclosureDecision | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the policy that decided (`dpl_…`). Null if no policy decided.',
  })
  policyId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the user who decided (`usr_…`). Null before the decision, and if a policy decided.',
  })
  decidedBy!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The reason for the decision. Null if none was given.',
  })
  decisionReason!: string | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the disclosure was decided. Null before the decision.',
  })
  decidedAt!: Date | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the disclosure became available or was rejected. Null while it is pending.',
  })
  resolvedAt!: Date | null;
}

@ObjectType('Requester', {
  description: 'The person or the API key that requested a disclosure.',
})
export class RequesterType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`) or of the API key (`key_…`).' })
  id!: string;

  @Field(() => String, { description: 'The name of the person or of the API key.' })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The e-mail address of the person. Null for an API key.',
  })
  email!: string | null;
}

@ObjectType('DisclosurePreviewRecords', {
  description: 'The number of records of one type that a disclosure selects.',
})
class DisclosurePreviewRecordsType {
  @Field(() => ConfidentialEventTypeEnum, { description: 'The type of the records.' })
  type!: ConfidentialEventType;

  @Field(() => Int, { description: 'The number of records.' })
  count!: number;
}

const IF_NOT_TOO_MANY = 'Null if there are more than 10,000, for which a disclosure is refused.';

@ObjectType('DisclosurePreview', {
  description:
    'The records that a disclosure selects, at its authorization or, before that, now: numbers and times, no amounts.',
})
export class DisclosurePreviewType {
  @Field(() => Int, {
    nullable: true,
    description: `The number of records. ${IF_NOT_TOO_MANY}`,
  })
  records!: number | null;

  @Field(() => [DisclosurePreviewRecordsType], {
    nullable: true,
    description: `The number of records of each type that occurs. ${IF_NOT_TOO_MANY}`,
  })
  byType!: DisclosurePreviewRecordsType[] | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: `The block time of the earliest record, in Unix seconds. ${IF_NOT_TOO_MANY} Null also if no record has one.`,
  })
  earliest!: number | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: `The block time of the latest record, in Unix seconds. ${IF_NOT_TOO_MANY} Null also if no record has one.`,
  })
  latest!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: `The number of different token accounts that the records debit, credit or concern. ${IF_NOT_TOO_MANY}`,
  })
  accounts!: number | null;
}

@ObjectType('DisclosureChanged', { description: 'A disclosure after its last change.' })
export class DisclosureChangedType {
  @Field(() => String, { description: 'Pass it as `after` to receive the changes after this one.' })
  cursor!: string;

  @Field(() => DisclosureType, { description: 'The disclosure.' })
  disclosure!: DisclosureType;
}

export const DisclosureConnectionType = countedConnectionType('Disclosure', () => DisclosureType);

@InputType('DisclosureScopeInput', {
  description:
    'The records and confidential fields to disclose. Give either `transactionIds`, or `account` with an ' +
    'optional period.',
})
export class DisclosureScopeInputType {
  @Field(() => [ID], { nullable: true, description: 'The ids of the records (`txn_…`), 1 to 10,000.' })
  transactionIds?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token account, as source or destination (base58).',
  })
  account?: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'The earliest block time, inclusive.' })
  from?: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'The latest block time, inclusive.' })
  to?: Date | null;

  @Field(() => [DisclosureFieldEnum], { description: 'The confidential fields, each at most once.' })
  fields!: DisclosureField[];
}

@InputType('RequestDisclosureInput', { description: 'A disclosure to request.' })
export class RequestDisclosureInputType {
  @Field(() => ID, { description: 'Id of the asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, {
    description: 'The business or compliance reason for the disclosure, 1 to 2000 characters.',
  })
  purpose!: string;

  @Field(() => DisclosureScopeInputType, {
    description: 'The records and fields to disclose: at most 10,000 records.',
  })
  scope!: DisclosureScopeInputType;

  @Field(() => DisclosureFormatEnum, { description: 'The format of the result.' })
  format!: DisclosureFormat;

  @Field(() => String, {
    nullable: true,
    description: 'An identifier that you choose for the disclosure, 1 to 256 characters.',
  })
  externalReference?: string | null;

  @Field(() => String, { nullable: true, description: IDEMPOTENCY_KEY })
  idempotencyKey?: string | null;
}

@InputType('DecideDisclosureInput', { description: 'A decision about a pending disclosure.' })
export class DecideDisclosureInputType {
  @Field(() => ID, { description: 'Id of the disclosure.' })
  id!: string;

  @Field(() => DisclosureDecisionEnum, { description: 'The decision.' })
  decision!: DisclosureDecision;

  @Field(() => String, { nullable: true, description: 'The reason, 1 to 2000 characters.' })
  reason?: string | null;
}

@ArgsType()
export class ListDisclosuresArguments extends PageArguments {
  @Field(() => DisclosureStatusEnum, { nullable: true, description: 'Only disclosures of this status.' })
  status?: DisclosureStatus | null;

  @Field(() => ID, { nullable: true, description: 'Only disclosures of this asset.' })
  assetId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to return the oldest first. By default the newest come first.',
  })
  oldestFirst?: boolean | null;
}
