import { GraphQLDateTimeISO } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { countedConnectionType } from '../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../platform/kernel/enums/enum.type.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import type { DisclosureField } from './disclosure-scope.js';
import type { DisclosureDecision, DisclosureStatus } from './disclosure-state.js';
import type { DisclosureFormat } from './policies/disclosure-rules.js';

const DisclosureStatusEnum = graphqlEnum<DisclosureStatus>(
  'DisclosureStatus',
  'The status of a disclosure.',
  {
    pending: 'Not decided yet, or authorized and its result is being made.',
    available: 'Authorized, and the result exists. Final.',
    rejected: 'Not authorized; there is no result. Final.',
  },
);

const DisclosureDecisionEnum = graphqlEnum<DisclosureDecision>(
  'DisclosureDecision',
  'A decision about a disclosure.',
  {
    authorize: 'The records that the scope selects at this moment are disclosed.',
    reject: 'Nothing is disclosed.',
  },
);

export const DisclosureFormatEnum = graphqlEnum<DisclosureFormat>(
  'DisclosureFormat',
  'The format of the `content` of a result.',
  { json: 'The JSON text of the records.', csv: 'CSV (RFC 4180) with a header row.' },
);

export const DisclosureFieldEnum = graphqlEnum<DisclosureField>('DisclosureField', 'A confidential field.', {
  amount: 'The amount that an instruction moves.',
  fee:
    'The fee of a transfer. Token-2022 does not encrypt it to the auditor: records with a fee name it in ' +
    '`unavailable`.',
});

@ObjectType('DisclosureScope', { description: 'Records and their confidential fields.' })
export class DisclosureScopeType {
  @Field(() => [ID], { nullable: true, description: 'The chosen records (`txn_…`).' })
  transactionIds!: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token account, as source or destination (base58).',
  })
  account!: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Earliest block time, inclusive.' })
  from!: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Latest block time, inclusive.' })
  to!: Date | null;

  @Field(() => [DisclosureFieldEnum], { description: 'The confidential fields.' })
  fields!: DisclosureField[];
}

@ObjectType('Disclosure', {
  description:
    'A disclosure of confidential fields: requested, decided, and when authorized, made available.',
})
export class DisclosureType {
  @Field(() => ID, { description: 'Id of the disclosure (`dsc_…`).' })
  id!: string;

  @Field(() => ID, { description: 'Id of the asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, { description: 'The business or compliance reason.' })
  purpose!: string;

  @Field(() => DisclosureScopeType, {
    description:
      'What is requested. It selects the records that are indexed at the moment of the authorization. Records ' +
      'without a block time are in no period.',
  })
  scope!: DisclosureScopeType;

  @Field(() => DisclosureFormatEnum, { description: 'The requested format.' })
  format!: DisclosureFormat;

  @Field(() => DisclosureStatusEnum, { description: 'The status.' })
  status!: DisclosureStatus;

  @Field(() => String, { nullable: true, description: 'The requester’s own identifier.' })
  externalReference!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was requested.' })
  requestedAt!: Date;

  @Field(() => DisclosureDecisionEnum, { nullable: true, description: 'The decision; null before it.' })
  decision!: DisclosureDecision | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The policy that decided, if one did (`dpl_…`).',
  })
  policyId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The user who decided, if one did (`usr_…`).',
  })
  decidedBy!: string | null;

  @Field(() => String, { nullable: true, description: 'The reason that was given for the decision.' })
  decisionReason!: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When it was decided.' })
  decidedAt!: Date | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When it became available or was rejected.',
  })
  resolvedAt!: Date | null;
}

@ObjectType('Requester', {
  description: 'Who asked for a disclosure: a person, or a backend by its API key.',
})
export class RequesterType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`) or of the API key (`key_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name of the person or of the key.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'E-mail address. Null for an API key.' })
  email!: string | null;
}

@ObjectType('DisclosurePreview', {
  description: 'What a disclosure selects: as of its authorization, and before that as of now.',
})
export class DisclosurePreviewType {
  @Field(() => Int, {
    nullable: true,
    description: 'Number of records. Null: more than 10,000, which is refused.',
  })
  records!: number | null;
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
  description: 'Either `transactionIds`, or `account` with an optional period; both forms with `fields`.',
})
export class DisclosureScopeInputType {
  @Field(() => [ID], { nullable: true, description: 'Chosen records (`txn_…`), 1 to 10,000.' })
  transactionIds?: string[] | null;

  @Field(() => String, { nullable: true, description: 'A token account, as source or destination (base58).' })
  account?: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Earliest block time, inclusive.' })
  from?: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Latest block time, inclusive.' })
  to?: Date | null;

  @Field(() => [DisclosureFieldEnum], { description: 'The confidential fields, each once.' })
  fields!: DisclosureField[];
}

@InputType('RequestDisclosureInput', { description: 'A scoped disclosure to request.' })
export class RequestDisclosureInputType {
  @Field(() => ID, { description: 'Id of the asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, { description: 'The business or compliance reason, 1 to 2000 characters.' })
  purpose!: string;

  @Field(() => DisclosureScopeInputType, { description: 'The records and fields; at most 10,000 records.' })
  scope!: DisclosureScopeInputType;

  @Field(() => DisclosureFormatEnum, { description: 'The format of the result.' })
  format!: DisclosureFormat;

  @Field(() => String, { nullable: true, description: 'Your own identifier, 1 to 256 characters.' })
  externalReference?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Your own key for this call, 1 to 255 printable ASCII characters. For 24 hours, a repeat with the same input returns the ' +
      'first answer, and one with another input is a CONFLICT.',
  })
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
    description: 'Whether the oldest come first. By default the newest do.',
  })
  oldestFirst?: boolean | null;
}
