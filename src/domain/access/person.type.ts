import { Field, ID, ObjectType } from 'type-graphql';

/** How every room shows a person: `simpleResolvers`, because lists of them are long. */
@ObjectType('Person', {
  description: 'A person who is or was a member of the organization.',
  simpleResolvers: true,
})
export class PersonType {
  @Field(() => ID, { description: 'Id (`usr_…`).' })
  id!: string;

  @Field(() => String, {
    description: 'Name, as this organization knows it; `Erased` after the person was erased.',
  })
  name!: string;

  @Field(() => String, { description: 'E-mail address.' })
  email!: string;
}
