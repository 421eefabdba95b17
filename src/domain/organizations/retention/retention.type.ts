import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { RetentionKind } from '../../access/index.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';

const RetentionKindEnum = graphqlEnum<RetentionKind>(
  'RetentionKind',
  'A kind of stored data that is deleted when its retention ends.',
  {
    reports: 'The files of reports. The reports stay, with the digests of their files.',
    disclosure_results: 'The results of disclosures. The disclosures and their receipts stay.',
    personal_values:
      'Names and addresses in the activity log, whose proofs stay valid; and former members, who are erased.',
  },
);

const REASON = 'The reason, 1 to 2000 characters. It is recorded in the activity log.';
const YEARS = 'Number of years after which it is deleted, 5 to 30.';

@ObjectType('RetentionSetting', { description: 'How long your organization keeps a kind of what it stores.' })
export class RetentionSettingType {
  @Field(() => RetentionKindEnum, { description: 'The kind of stored data.' })
  kind!: RetentionKind;

  @Field(() => Int, { description: YEARS })
  years!: number;

  @Field(() => Boolean, { description: 'Whether it is the default, because the organization never set it.' })
  isDefault!: boolean;
}

@ObjectType('LegalHold', {
  description: 'A legal hold. While it is in force, nothing that it covers is deleted.',
})
export class LegalHoldType {
  @Field(() => ID, { description: 'Id (`hld_…`).' })
  id!: string;

  @Field(() => [RetentionKindEnum], { description: 'What it covers.' })
  kinds!: RetentionKind[];

  @Field(() => String, { description: 'Why it was placed.' })
  reason!: string;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When it ends by itself; null when it does not.',
  })
  until!: Date | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was placed.' })
  placedAt!: Date;
}

@ObjectType('Retention', { description: 'How long your organization keeps what it stores.' })
export class RetentionType {
  @Field(() => [RetentionSettingType], { description: 'The setting of every kind.' })
  settings!: RetentionSettingType[];

  @Field(() => [LegalHoldType], { description: 'The legal holds that are in force, oldest first.' })
  legalHolds!: LegalHoldType[];
}

@InputType({ description: 'A change of a retention.' })
export class SetRetentionInput {
  @Field(() => RetentionKindEnum, { description: 'The kind of stored data.' })
  kind!: RetentionKind;

  @Field(() => Int, { description: YEARS })
  years!: number;

  @Field(() => String, { description: REASON })
  reason!: string;
}

@InputType({ description: 'A legal hold.' })
export class PlaceLegalHoldInput {
  @Field(() => String, { description: REASON })
  reason!: string;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When it ends by itself. By default it is in force until it is released.',
  })
  until?: Date | null;

  @Field(() => [RetentionKindEnum], { nullable: true, description: 'What it covers; by default every kind.' })
  kinds?: RetentionKind[] | null;
}

@InputType({ description: 'The release of a legal hold.' })
export class ReleaseLegalHoldInput {
  @Field(() => ID, { description: 'Id of the hold (`hld_…`).' })
  id!: string;

  @Field(() => String, { description: REASON })
  reason!: string;
}
