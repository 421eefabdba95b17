import { GraphQLDateTimeISO, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { type Person, PersonType } from '../access/index.js';
import type { JsonObject } from '../../platform/kernel/encoding/json.js';

@ObjectType('Organization', {
  description: 'A tenant of the gateway. An organization sees nothing of other organizations.',
})
export class OrganizationType {
  @Field(() => ID, { description: 'Id of the organization (`org_…`).' })
  id!: string;

  @Field(() => String, { description: 'The name of the organization.' })
  name!: string;
}

@InputType('UpdateOrganizationInput', {
  description: 'The changes to an organization. Members that are left out do not change.',
})
export class UpdateOrganizationInput {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether decisions need two people. Two owners must make the same call to change it.',
  })
  requireSecondPerson?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether members need a second factor for everything they do, and must prove it again to decide. If ' +
      '`requireSecondPerson` is true, two owners must make the same call to turn it off.',
  })
  requireSecondFactor?: boolean | null;
}

@ObjectType('ProposedOperation', {
  description:
    'An operation that one person has called and that takes effect when a second person makes the same call.',
})
export class ProposedOperationType {
  @Field(() => ID, { description: 'Id of the proposal (`prp_…`).' })
  id!: string;

  @Field(() => String, { description: 'The name of the mutation.' })
  operation!: string;

  @Field(() => GraphQLJSONObject, { description: 'The input of the call.' })
  input!: JsonObject;

  @Field(() => PersonType, { description: 'The person who made the call.' })
  proposedBy!: Person;

  @Field(() => GraphQLDateTimeISO, { description: 'When the first person made the call.' })
  proposedAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When the proposal expires: 72 hours after it was made.' })
  expiresAt!: Date;
}
