import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';

@ObjectType('Application', {
  description: 'A product of the organization. Calls name it by its foreignId.',
})
export class ApplicationType {
  @Field(() => String, {
    description: 'The readable identifier of the application, unique in the organization.',
  })
  foreignId!: string;

  @Field(() => String, { description: 'The name of the application.' })
  name!: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'The public id that address checks take. Null unless the caller is an owner or an administrator of the ' +
      'application.',
  })
  checkApplicationId!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When the application was created.' })
  createdAt!: Date;
}

@InputType('CreateApplicationInput', { description: 'The application to create.' })
export class CreateApplicationInput {
  @Field(() => String, {
    description:
      'The identifier of the application, unique in the organization: 1 to 63 of the characters a-z, 0-9 and ' +
      'hyphen. The first character cannot be a hyphen.',
  })
  foreignId!: string;

  @Field(() => String, { description: 'The name of the application, 1 to 128 characters.' })
  name!: string;
}

export const ApplicationConnection = connectionType('Application', () => ApplicationType);
