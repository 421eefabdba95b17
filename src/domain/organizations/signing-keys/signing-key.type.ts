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
      'The epoch of the key to replace. If another owner has rotated the key in the meantime, the call ' +
      'fails with CONFLICT and changes nothing.',
  })
  fromEpoch?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The number of days for which the old key also signs checkpoints, 0 to 365. The default is 30.',
  })
  overlapDays?: number | null;
}

@InputType({ description: 'A signing key that another party has or may have.' })
export class DeclareSigningKeyCompromisedInput {
  @Field(() => Int, { description: 'The epoch of the key. It must have been replaced by a rotation.' })
  epoch!: number;

  @Field(() => GraphQLSafeInt, {
    description:
      'The index of the first log entry for which the key may have been misused. Checkpoints of at most this ' +
      'many entries stay valid.',
  })
  fromIndex!: number;

  @Field(() => String, { description: REASON })
  reason!: string;
}

@InputType({ description: 'The current signing key, which is lost.' })
export class DeclareSigningKeyLostInput {
  @Field(() => Int, { description: 'The epoch of the current key.' })
  epoch!: number;

  @Field(() => String, { description: REASON })
  reason!: string;
}
