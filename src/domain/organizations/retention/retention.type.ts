import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { RetentionKind } from '../../access/index.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';

const RetentionKindEnum = graphqlEnum<RetentionKind>(
  'RetentionKind',
  'A kind of stored data that is deleted when its retention period ends.',
  {
    reports: 'The files of reports. The reports and the digests of their files are kept.',
    disclosure_results: 'The results of disclosures. The disclosures and their receipts are kept.',
    personal_values:
      'The names and e-mail addresses in the activity log, and the former members themselves, who are erased. ' +
      'The proofs of the log stay valid.',
  },
);

const REASON = 'The reason, 1 to 2000 characters. It is recorded in the activity log.';
const YEARS = 'The retention period in years, 5 to 30. Data of this kind is deleted when its period ends.';

@ObjectType('RetentionSetting', { description: 'The retention period of one kind of stored data.' })
export class RetentionSettingType {
  @Field(() => RetentionKindEnum, { description: 'The kind of stored data.' })
  kind!: RetentionKind;

  @Field(() => Int, { description: YEARS })
  years!: number;

  @Field(() => Boolean, {
    description: 'Whether the period is the default. It is, until the organization sets another one.',
  })
  isDefault!: boolean;
}

@ObjectType('LegalHold', {
  description: 'A legal hold. While it is in force, nothing that it covers is deleted.',
})
export class LegalHoldType {
  @Field(() => ID, { description: 'Id of the legal hold (`hld_…`).' })
  id!: string;

  @Field(() => [RetentionKindEnum], { description: 'The kinds of data that the legal hold covers.' })
  kinds!: RetentionKind[];

  @Field(() => String, { description: 'The reason for the legal hold.' })
  reason!: string;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the legal hold ends automatically. Null if it stays in force until it is released.',
  })
  until!: Date | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When the legal hold was placed.' })
  placedAt!: Date;
}

@ObjectType('Retention', {
  description: 'How long your organization keeps stored data, and the legal holds that are in force.',
})
export class RetentionType {
  @Field(() => [RetentionSettingType], { description: 'The retention period of each kind of data.' })
  settings!: RetentionSettingType[];

  @Field(() => [LegalHoldType], { description: 'The legal holds that are in force, oldest first.' })
  legalHolds!: LegalHoldType[];
}

@InputType({ description: 'A retention period to set.' })
export class SetRetentionInput {
  @Field(() => RetentionKindEnum, { description: 'The kind of stored data.' })
  kind!: RetentionKind;

  @Field(() => Int, { description: YEARS })
  years!: number;

  @Field(() => String, { description: REASON })
  reason!: string;
}

@InputType({ description: 'The legal hold to place.' })
export class PlaceLegalHoldInput {
  @Field(() => String, { description: REASON })
  reason!: string;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the legal hold ends automatically. By default it stays in force until it is released.',
  })
  until?: Date | null;

  @Field(() => [RetentionKindEnum], {
    nullable: true,
    description: 'The kinds of data that the legal hold covers. By default every kind.',
  })
  kinds?: RetentionKind[] | null;
}

@InputType({ description: 'The legal hold to release.' })
export class ReleaseLegalHoldInput {
  @Field(() => ID, { description: 'Id of the hold (`hld_…`).' })
  id!: string;

  @Field(() => String, { description: REASON })
  reason!: string;
}
