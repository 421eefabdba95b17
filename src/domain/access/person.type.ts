import { Field, ID, ObjectType } from 'type-graphql';

/** The common type for people. It has `simpleResolvers`, because lists of people are long. */
@ObjectType('Person', {
  description: 'A person who is or was a member of the organization.',
  simpleResolvers: true,
})
export class PersonType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`).' })
  id!: string;

  @Field(() => String, {
    description: 'The name of the person as this organization knows it. `Erased` once the person was erased.',
  })
  name!: string;

  @Field(() => String, { description: 'The e-mail address of the person.' })
  email!: string;
}
