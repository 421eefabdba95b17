import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';
import { DisclosureFieldEnum, DisclosureFormatEnum } from '../disclosure.type.js';
import type { DisclosureField } from '../disclosure-scope.js';
import type { DisclosureFormat, PolicyOutcome } from './disclosure-rules.js';

const PolicyOutcomeEnum = graphqlEnum<PolicyOutcome>(
  'PolicyOutcome',
  'The decision of a disclosure policy about a request.',
  {
    authorize: 'The request is authorized at once.',
    review: 'The request waits for a person to decide.',
    reject: 'The request is rejected at once.',
  },
);

@ObjectType('DisclosureRules', {
  description: 'The bounds of a policy, and its decisions about requests inside and outside them.',
})
export class DisclosureRulesType {
  @Field(() => [DisclosureFieldEnum], { description: 'The fields that may be requested.' })
  allowedFields!: DisclosureField[];

  @Field(() => [DisclosureFormatEnum], { description: 'The formats that may be requested.' })
  allowedFormats!: DisclosureFormat[];

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The longest period, in seconds. For an account scope the period is from `from` to `to`; without both, ' +
      'it is unbounded. For chosen records it is from their earliest to their latest block time. Null if there ' +
      'is no bound.',
  })
  maximumSpanSeconds!: number | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The maximum number of records. Null if there is no bound.',
  })
  maximumRecords!: number | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'The token accounts that may be requested (base58). The account of the scope, or the source or ' +
      'destination of every chosen record, must be one of them. Null if there is no bound.',
  })
  allowedAccounts!: string[] | null;

  @Field(() => PolicyOutcomeEnum, { description: 'The decision about a request that is within every bound.' })
  inside!: PolicyOutcome;

  @Field(() => PolicyOutcomeEnum, { description: 'The decision about a request that exceeds a bound.' })
  outside!: PolicyOutcome;
}

@ObjectType('DisclosurePolicy', {
  description:
    'The rules for disclosures of the assets whose `disclosurePolicyId` is the id or key of the policy.',
})
export class DisclosurePolicyType {
  @Field(() => ID, { description: 'Id of the policy (`dpl_…`).' })
  id!: string;

  @Field(() => String, {
    description: 'The key that you chose. The `disclosurePolicyId` of an asset can be this key or the id.',
  })
  key!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => DisclosureRulesType, { description: 'The rules.' })
  rules!: DisclosureRulesType;

  @Field(() => GraphQLDateTimeISO, { description: 'When the policy was created. A policy never changes.' })
  createdAt!: Date;
}

@ObjectType('JudgingPolicy', {
  description: 'The policy that decided a disclosure, or that left the decision to a person.',
})
export class JudgingPolicyType {
  @Field(() => ID, { description: 'Id of the policy (`dpl_…`).' })
  id!: string;

  @Field(() => String, { description: 'The key of the policy.' })
  key!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;
}

export const DisclosurePolicyConnectionType = connectionType('DisclosurePolicy', () => DisclosurePolicyType);

@InputType('CreateDisclosurePolicyInput', { description: 'A disclosure policy to create.' })
export class CreateDisclosurePolicyInputType {
  @Field(() => String, {
    description:
      'A key that you choose, unique in the organization: 1 to 64 letters, digits, dots, colons or hyphens.',
  })
  key!: string;

  @Field(() => String, { description: 'Display name, 1 to 128 characters.' })
  name!: string;

  @Field(() => [DisclosureFieldEnum], { description: 'The fields that may be requested.' })
  allowedFields!: DisclosureField[];

  @Field(() => [DisclosureFormatEnum], { description: 'The formats that may be requested.' })
  allowedFormats!: DisclosureFormat[];

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The longest period, in seconds. By default there is no bound.',
  })
  maximumSpanSeconds?: number | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The maximum number of records. By default there is no bound.',
  })
  maximumRecords?: number | null;

  @Field(() => [String], {
    nullable: true,
    description: 'The token accounts that may be requested (base58). By default all.',
  })
  allowedAccounts?: string[] | null;

  @Field(() => PolicyOutcomeEnum, { description: 'The decision about a request that is within every bound.' })
  inside!: PolicyOutcome;

  @Field(() => PolicyOutcomeEnum, { description: 'The decision about a request that exceeds a bound.' })
  outside!: PolicyOutcome;
}
