import { Field, InputType, Int } from 'type-graphql';
import { GraphQLSafeInt } from 'graphql-scalars';

const REASON =
  'The reason, 1 to 2000 characters. It is recorded in the activity log, and anyone who may read some log of the organization can read it.';

@InputType({ description: 'A rotation of the signing key.' })
export class RotateSigningKeyInput {
  @Field(() => String, { description: REASON })
  reason!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'The epoch that you rotate from. When another owner has rotated since, the answer is a CONFLICT and nothing changes.',
  })
  fromEpoch?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'For how many days the old key signs checkpoints, too: 0 to 365, by default 30.',
  })
  overlapDays?: number | null;
}

@InputType({ description: 'A signing key that somebody else has, or may have.' })
export class DeclareSigningKeyCompromisedInput {
  @Field(() => Int, { description: 'The epoch of the key. It must have been replaced by a rotation.' })
  epoch!: number;

  @Field(() => GraphQLSafeInt, {
    description:
      'Index of the first log entry that the key may have been misused for. Checkpoints of at most this many entries stay valid.',
  })
  fromIndex!: number;

  @Field(() => String, { description: REASON })
  reason!: string;
}

@InputType({ description: 'The signing key in use, which is lost.' })
export class DeclareSigningKeyLostInput {
  @Field(() => Int, { description: 'The epoch of the key in use.' })
  epoch!: number;

  @Field(() => String, { description: REASON })
  reason!: string;
}
