import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../kernel/connection.type.js';
import { ADDRESS_STATUSES, type AddressStatus } from './address-state.js';
import { CHECK_REASONS, CHECK_STEPS, type CheckReason, type CheckStep } from './check-rules.js';

const enumOf = <Value extends string>(values: readonly Value[]) =>
  Object.fromEntries(values.map((value) => [value, value]));

export const CheckReasonEnum = enumOf(CHECK_REASONS);
registerEnumType(CheckReasonEnum, {
  name: 'CheckReason',
  description: 'Why an address is approved or not. Only `approved` is.',
  valuesConfig: {
    approved: {
      description: 'No screening objects, and the application lists it as approved or approves by default.',
    },
    not_approved: { description: 'The application has not listed it, and does not approve by default.' },
    revoked: { description: 'The application has revoked it.' },
    sanctioned: { description: 'A screening step names it.' },
    unknown_application: { description: 'There is no such application; nothing was screened.' },
    screening_unavailable: { description: 'A configured screening step gave no answer. Ask again later.' },
  },
});

export const CheckStepEnum = enumOf(CHECK_STEPS);
registerEnumType(CheckStepEnum, {
  name: 'CheckStep',
  description: 'The steps of a check, in their order.',
  valuesConfig: {
    application: { description: 'Whether there is such an application.' },
    sanctions_list: { description: 'The sanctions list that the gateway holds.' },
    screening_service: { description: 'The screening service that the gateway asks.' },
    address_list: { description: 'The addresses that the application has approved or revoked.' },
    default: { description: 'What the application says of addresses that it has not listed.' },
  },
});

export const AddressStatusEnum = enumOf(ADDRESS_STATUSES);
registerEnumType(AddressStatusEnum, {
  name: 'AddressStatus',
  description: 'What an application says of an address.',
  valuesConfig: {
    approved: { description: 'It may be dealt with, unless screening objects.' },
    revoked: { description: 'It may not be dealt with.' },
  },
});

@ObjectType('AddressCheckResult', { description: 'The answer to a check of an address.' })
export class AddressCheckResultType {
  @Field(() => Boolean, { description: 'Whether the address is approved for the application.' })
  approved!: boolean;

  @Field(() => String, { description: 'Id of the recorded check (`chk_…`).' })
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

@ObjectType('AddressCheck', { description: 'A check as it was answered. It never changes.' })
export class AddressCheckType {
  @Field(() => String, { description: 'Id (`chk_…`).' })
  id!: string;

  @Field(() => String, { description: 'The network, as it was asked for.' })
  network!: string;

  @Field(() => String, { description: 'The address that was checked.' })
  address!: string;

  @Field(() => String, { description: 'The public id of the application, as it was asked for.' })
  applicationId!: string;

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
  @Field(() => String, { description: 'The network: `solana`.' })
  network!: string;

  @Field(() => String, { description: 'The address (base58).' })
  address!: string;

  @Field(() => AddressStatusEnum, { description: 'What the application says of it.' })
  status!: AddressStatus;

  @Field(() => String, { description: 'Why, as who changed it last has said.' })
  reason!: string;

  @Field(() => String, { description: 'The user who changed it last (`usr_…`).' })
  changedBy!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was changed last.' })
  changedAt!: Date;
}

@ObjectType('AddressPolicy', { description: 'What an application says of addresses that it has not listed.' })
export class AddressPolicyType {
  @Field(() => Boolean, { description: 'Whether they are approved; they are not, until this is set.' })
  approvedByDefault!: boolean;

  @Field(() => Int, {
    description:
      'Grows by one with each change of the application’s addresses or of this default; 0 at first.',
  })
  version!: number;
}

export const ListedAddressConnectionType = connectionType('ListedAddress', () => ListedAddressType);
