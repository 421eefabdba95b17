import { GraphQLDateTimeISO } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Network } from '../../platform/kernel/enums/network.js';
import { NetworkEnum } from '../../platform/kernel/enums/network.type.js';
import { connectionType } from '../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../platform/kernel/enums/enum.type.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import { PersonType } from '../access/index.js';
import type { AddressStatus } from './addresses/address-state.js';
import type { CheckReason, CheckStep } from './check-rules.js';

const CheckReasonEnum = graphqlEnum<CheckReason>(
  'CheckReason',
  'The reason why an address is approved or not. `approved` is the only reason that approves.',
  {
    approved:
      'No screening step names the address, and the application lists it as approved or approves by default.',
    not_approved: 'The application has not listed the address and does not approve by default.',
    revoked: 'The application has revoked the address.',
    sanctioned: 'The sanctions list or a screening service names the address.',
    unknown_application: 'No application has this check id. The address was not screened.',
    screening_unavailable: 'A configured screening step gave no answer. Try again later.',
  },
);

const CheckStepEnum = graphqlEnum<CheckStep>(
  'CheckStep',
  'A step of an address check. The steps run in this order: `application`, `sanctions_list`, ' +
    '`screening_service`, `address_list`, `default`.',
  {
    application: 'The lookup of the application by its check id.',
    sanctions_list: 'The sanctions list that the gateway has loaded.',
    screening_service: 'The screening service that the gateway queries.',
    address_list: 'The addresses that the application has approved or revoked.',
    default: 'The default of the application for addresses that it has not listed.',
  },
);

const AddressStatusEnum = graphqlEnum<AddressStatus>(
  'AddressStatus',
  'The decision of an application about an address.',
  {
    approved: 'The application approves the address. A check approves it if no screening step objects.',
    revoked: 'The application refuses the address.',
  },
);

@ObjectType('AddressCheckResult', { description: 'The result of an address check.' })
export class AddressCheckResultType {
  @Field(() => Boolean, { description: 'Whether the address is approved for the application.' })
  approved!: boolean;

  @Field(() => ID, { description: 'Id of the recorded check (`chk_…`).' })
  checkId!: string;

  @Field(() => String, {
    description:
      'The SHA-256 in hex of the RFC 8785 JSON object with the members `network`, `address`, `applicationId`, ' +
      '`approved`, `reason`, `policyVersion`, `listVersion` and `checkedAt` of the recorded check.',
  })
  metadataHash!: string;

  @Field(() => CheckReasonEnum, { description: 'The reason for the result.' })
  reason!: CheckReason;
}

@ObjectType('AddressCheck', {
  description: 'The record of an address check and its result. It never changes.',
})
export class AddressCheckType {
  @Field(() => ID, { description: 'Id of the check (`chk_…`).' })
  id!: string;

  @Field(() => NetworkEnum, { description: 'The network of the address.' })
  network!: Network;

  @Field(() => String, { description: 'The address that was checked.' })
  address!: string;

  @Field(() => ID, {
    description: 'The public check id of the application. In the hashed object its name is `applicationId`.',
  })
  checkApplicationId!: string;

  @Field(() => Boolean, { description: 'Whether the address was approved.' })
  approved!: boolean;

  @Field(() => CheckReasonEnum, { description: 'The reason for the result.' })
  reason!: CheckReason;

  @Field(() => CheckStepEnum, { description: 'The step that decided. The hash does not include it.' })
  decidedBy!: CheckStep;

  @Field(() => Int, {
    nullable: true,
    description: 'The version of the application’s address policy that was used.',
  })
  policyVersion!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The version of the sanctions list that was searched: its date of issue, a slash, and the SHA-256 of its ' +
      'file in hex. Null if no list was loaded.',
  })
  listVersion!: string | null;

  @Field(() => GraphQLDateTimeISO, {
    description:
      'When the gateway decided. The hashed object holds the same text: ISO 8601 in UTC, with milliseconds.',
  })
  checkedAt!: Date;

  @Field(() => String, {
    description:
      'The SHA-256 in hex of the RFC 8785 JSON object with the members `network`, `address`, `applicationId`, ' +
      '`approved`, `reason`, `policyVersion`, `listVersion` and `checkedAt`.',
  })
  metadataHash!: string;
}

@ObjectType('ListedAddress', { description: 'An address that an application has approved or revoked.' })
export class ListedAddressType {
  @Field(() => NetworkEnum, { description: 'The network of the address.' })
  network!: Network;

  @Field(() => String, { description: 'The address (base58).' })
  address!: string;

  @Field(() => AddressStatusEnum, { description: 'Whether the application approves or refuses the address.' })
  status!: AddressStatus;

  @Field(() => String, { description: 'The reason for the last change.' })
  reason!: string;

  @Field(() => ID, { description: 'The user who made the last change (`usr_…`).' })
  changedBy!: string;

  @Field(() => PersonType, {
    nullable: true,
    description: 'The user who made the last change, with name and e-mail address.',
  })
  changer!: PersonType | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When the entry last changed.' })
  changedAt!: Date;
}

@ObjectType('AddressPolicy', {
  description: 'The default decision of an application about addresses that it has not listed.',
})
export class AddressPolicyType {
  @Field(() => Boolean, {
    description: 'Whether the application approves addresses that it has not listed. The default is false.',
  })
  approvedByDefault!: boolean;

  @Field(() => Int, {
    description:
      'The version of the policy. It begins at 0 and grows by one with each change of the application’s ' +
      'addresses or default.',
  })
  version!: number;
}

export const ListedAddressConnectionType = connectionType('ListedAddress', () => ListedAddressType);

@InputType({ description: 'An address to check for an application.' })
export class CheckAddressInput {
  @Field(() => NetworkEnum, { description: 'The network of the address.' })
  network!: Network;

  @Field(() => String, { description: 'The address: 32 bytes in base58.' })
  address!: string;

  @Field(() => ID, { description: 'The public check id of the application (`check_…`).' })
  checkApplicationId!: string;
}

@InputType({ description: 'An address to approve for an application.' })
export class ApproveAddressInput {
  @Field(() => String, { description: 'The foreignId of the application.' })
  foreignId!: string;

  @Field(() => NetworkEnum, { description: 'The network of the address.' })
  network!: Network;

  @Field(() => String, { description: 'The address: 32 bytes in base58.' })
  address!: string;

  @Field(() => String, { description: 'The reason, 1 to 2000 characters.' })
  reason!: string;
}

@InputType({ description: 'An address to revoke for an application.' })
export class RevokeAddressInput extends ApproveAddressInput {}

@InputType({ description: 'The default of an application for addresses that it has not listed.' })
export class SetAddressDefaultInput {
  @Field(() => String, { description: 'The foreignId of the application.' })
  foreignId!: string;

  @Field(() => Boolean, { description: 'Whether the application approves addresses that it has not listed.' })
  approvedByDefault!: boolean;

  @Field(() => String, { description: 'The reason, 1 to 2000 characters.' })
  reason!: string;
}

export const AddressCheckConnectionType = connectionType('AddressCheck', () => AddressCheckType);

@ArgsType()
export class ListAddressChecksArguments extends PageArguments {
  @Field(() => String, { description: 'The foreignId of the application.' })
  foreignId!: string;

  @Field(() => String, { nullable: true, description: 'Only checks of exactly this address.' })
  address?: string | null;
}

@ArgsType()
export class ListAddressesArguments extends PageArguments {
  @Field(() => String, { description: 'The foreignId of the application.' })
  foreignId!: string;

  @Field(() => AddressStatusEnum, { nullable: true, description: 'Only addresses of this status.' })
  status?: AddressStatus | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only addresses that begin with these characters, 1 to 44 of base58.',
  })
  search?: string | null;
}
