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
  'Why an address is approved or not. Only `approved` approves.',
  {
    approved: 'No screening step objects, and the application lists it as approved or approves by default.',
    not_approved: 'The application has not listed it, and does not approve by default.',
    revoked: 'The application has revoked it.',
    sanctioned: 'A screening step names it.',
    unknown_application: 'There is no such application; nothing was screened.',
    screening_unavailable: 'A configured screening step gave no answer. Ask again later.',
  },
);

const CheckStepEnum = graphqlEnum<CheckStep>('CheckStep', 'The steps of a check, in their order.', {
  application: 'The lookup of the application by its check id.',
  sanctions_list: 'The sanctions list that the gateway holds.',
  screening_service: 'The screening service that the gateway asks.',
  address_list: 'The addresses that the application has approved or revoked.',
  default: 'The default of the application for addresses that it has not listed.',
});

const AddressStatusEnum = graphqlEnum<AddressStatus>(
  'AddressStatus',
  'The decision of an application about an address.',
  {
    approved: 'Approved, unless a screening step objects.',
    revoked: 'Refused.',
  },
);

@ObjectType('AddressCheckResult', { description: 'The answer to an address check.' })
export class AddressCheckResultType {
  @Field(() => Boolean, { description: 'Whether the address is approved for the application.' })
  approved!: boolean;

  @Field(() => ID, { description: 'Id of the recorded check (`chk_…`).' })
  checkId!: string;

  @Field(() => String, {
    description:
      'SHA-256, in hex, of the RFC 8785 JSON of `network`, `address`, `applicationId`, `approved`, `reason`, ' +
      '`policyVersion`, `listVersion` and `checkedAt` of the recorded check.',
  })
  metadataHash!: string;

  @Field(() => CheckReasonEnum, { description: 'Why.' })
  reason!: CheckReason;
}

@ObjectType('AddressCheck', { description: 'A recorded address check and its answer. It never changes.' })
export class AddressCheckType {
  @Field(() => ID, { description: 'Id of the check (`chk_…`).' })
  id!: string;

  @Field(() => NetworkEnum, { description: 'The network of the address.' })
  network!: Network;

  @Field(() => String, { description: 'The address that was checked.' })
  address!: string;

  @Field(() => ID, {
    description: 'The public check id of the application. The hash names it `applicationId`.',
  })
  checkApplicationId!: string;

  @Field(() => Boolean, { description: 'Whether it was approved.' })
  approved!: boolean;

  @Field(() => CheckReasonEnum, { description: 'Why.' })
  reason!: CheckReason;

  @Field(() => CheckStepEnum, { description: 'The step that decided. Not part of the hash.' })
  decidedBy!: CheckStep;

  @Field(() => Int, {
    nullable: true,
    description: 'The version of the application’s address policy by which it was decided.',
  })
  policyVersion!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The sanctions list that was asked: its date of issue, a slash, and the SHA-256 of its file in hex; null when ' +
      'none was loaded.',
  })
  listVersion!: string | null;

  @Field(() => GraphQLDateTimeISO, {
    description: 'When it was decided; ISO 8601 in UTC with milliseconds in the hash, as here.',
  })
  checkedAt!: Date;

  @Field(() => String, {
    description:
      'SHA-256, in hex, of the RFC 8785 JSON of the object of `network`, `address`, `applicationId`, `approved`, ' +
      '`reason`, `policyVersion`, `listVersion` and `checkedAt`.',
  })
  metadataHash!: string;
}

@ObjectType('ListedAddress', { description: 'An address that an application has approved or revoked.' })
export class ListedAddressType {
  @Field(() => NetworkEnum, { description: 'The network of the address.' })
  network!: Network;

  @Field(() => String, { description: 'The address (base58).' })
  address!: string;

  @Field(() => AddressStatusEnum, { description: 'The decision of the application.' })
  status!: AddressStatus;

  @Field(() => String, { description: 'The reason that was given for the last change.' })
  reason!: string;

  @Field(() => ID, { description: 'The user who made the last change (`usr_…`).' })
  changedBy!: string;

  @Field(() => PersonType, { nullable: true, description: 'The user who made the last change.' })
  changer!: PersonType | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When it last changed.' })
  changedAt!: Date;
}

@ObjectType('AddressPolicy', {
  description: 'What an application decides about addresses that it has not listed.',
})
export class AddressPolicyType {
  @Field(() => Boolean, { description: 'Whether they are approved. The default is false.' })
  approvedByDefault!: boolean;

  @Field(() => Int, {
    description:
      'Grows by one with each change of the addresses or the default of the application; 0 at first.',
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

  @Field(() => Boolean, { description: 'Whether they are approved.' })
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
