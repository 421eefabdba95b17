import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';
import { DisclosureFieldEnum, DisclosureFormatEnum } from '../disclosure.type.js';
import type { DisclosureField } from '../disclosure-scope.js';
import type { DisclosureFormat, PolicyOutcome } from './disclosure-rules.js';

const PolicyOutcomeEnum = graphqlEnum<PolicyOutcome>(
  'PolicyOutcome',
  'The decision of a policy about a request.',
  {
    authorize: 'Authorizes it at once.',
    review: 'Leaves it to a person.',
    reject: 'Rejects it at once.',
  },
);

@ObjectType('DisclosureRules', {
  description: 'The bounds of a policy, and its decisions inside and outside them.',
})
export class DisclosureRulesType {
  @Field(() => [DisclosureFieldEnum], { description: 'The fields that may be requested.' })
  allowedFields!: DisclosureField[];

  @Field(() => [DisclosureFormatEnum], { description: 'The formats that may be requested.' })
  allowedFormats!: DisclosureFormat[];

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The longest period in seconds: from `from` to `to` of the scope of an account (a scope without both is ' +
      'unbounded), or from the earliest to the latest block time of chosen records. Null: no bound.',
  })
  maximumSpanSeconds!: number | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The maximum number of records. Null: no bound.',
  })
  maximumRecords!: number | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'Token accounts (base58). The account of the scope, or the source or destination of every chosen record, must ' +
      'be one of them. Null: no bound.',
  })
  allowedAccounts!: string[] | null;

  @Field(() => PolicyOutcomeEnum, { description: 'The decision about a request within every bound.' })
  inside!: PolicyOutcome;

  @Field(() => PolicyOutcomeEnum, { description: 'The decision about a request that exceeds a bound.' })
  outside!: PolicyOutcome;
}

@ObjectType('DisclosurePolicy', {
  description: 'Rules that decide the disclosures of the assets that name them.',
})
export class DisclosurePolicyType {
  @Field(() => ID, { description: 'Id of the policy (`dpl_…`).' })
  id!: string;

  @Field(() => String, {
    description: 'Your own name for it. The `disclosurePolicyId` of an asset can be this key or the id.',
  })
  key!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => DisclosureRulesType, { description: 'The rules.' })
  rules!: DisclosureRulesType;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was created. A policy never changes.' })
  createdAt!: Date;
}

export const DisclosurePolicyConnectionType = connectionType('DisclosurePolicy', () => DisclosurePolicyType);

@InputType('CreateDisclosurePolicyInput', { description: 'A disclosure policy to create.' })
export class CreateDisclosurePolicyInputType {
  @Field(() => String, {
    description: 'Your own name for it, unique: 1 to 64 letters, digits, dots, colons or hyphens.',
  })
  key!: string;

  @Field(() => String, { description: 'Display name, 1 to 128 characters.' })
  name!: string;

  @Field(() => [DisclosureFieldEnum], { description: 'The fields that may be requested.' })
  allowedFields!: DisclosureField[];

  @Field(() => [DisclosureFormatEnum], { description: 'The formats that may be requested.' })
  allowedFormats!: DisclosureFormat[];

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'The longest period in seconds.' })
  maximumSpanSeconds?: number | null;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'The maximum number of records.' })
  maximumRecords?: number | null;

  @Field(() => [String], {
    nullable: true,
    description: 'The token accounts that may be requested (base58).',
  })
  allowedAccounts?: string[] | null;

  @Field(() => PolicyOutcomeEnum, { description: 'The decision about a request within every bound.' })
  inside!: PolicyOutcome;

  @Field(() => PolicyOutcomeEnum, { description: 'The decision about a request that exceeds a bound.' })
  outside!: PolicyOutcome;
}
