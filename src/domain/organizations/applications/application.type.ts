import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';

@ObjectType('Application', {
  description: 'A product of the organization. Callers name it by its foreignId.',
})
export class ApplicationType {
  @Field(() => String, { description: 'The human-readable identifier, unique in the organization.' })
  foreignId!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'The public id that `/check` takes. Null unless the caller is an owner or an administrator of the application.',
  })
  checkApplicationId!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was created.' })
  createdAt!: Date;
}

@InputType('CreateApplicationInput', { description: 'A new application.' })
export class CreateApplicationInput {
  @Field(() => String, {
    description: '1 to 63 of a-z, 0-9 and hyphen. The first character is not a hyphen.',
  })
  foreignId!: string;

  @Field(() => String, { description: '1 to 128 characters.' })
  name!: string;
}

export const ApplicationConnection = connectionType('Application', () => ApplicationType);
